package clp

// trap is what a table panics with when CLP below it broke down, as only the inside
// of a WebAssembly instance can without taking the program along. The functions of
// the table stay free of errors that way; a model turns it into one, see [trapped].
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
