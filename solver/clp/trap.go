package clp

// trap is the panic value of a table when CLP below it failed, as only a
// WebAssembly instance can without crashing the program. This keeps the functions
// of the table free of errors; a model turns the trap into one, see [trapped].
type trap struct{ err error }

// trapped is deferred: it turns a trap into the error.
func trapped(err *error) {
	switch reason := recover().(type) {
	case nil:
	case trap:
		*err = reason.err
	default:
		panic(reason)
	}
}
