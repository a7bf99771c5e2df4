package api

// Int32s are bulk data: a list of numbers in JSON, a typed array in a browser.
type Int32s []int32

// Float64s are bulk data; see [Int32s].
type Float64s []float64

// JSON is a value that is already encoded.
type JSON []byte

// MarshalJSON returns the value itself.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j == nil {
		return []byte("null"), nil
	}
	return j, nil
}

// Code says whose fault an [Error] is.
type Code string

// The codes of errors.
const (
	// Invalid is the caller's mistake.
	Invalid Code = "invalid"
	// Cancelled says that the caller cancelled the call.
	Cancelled Code = "cancelled"
	// Internal is a fault of JigSaw.
	Internal Code = "internal"
	// UnknownMethod says that there is no such method.
	UnknownMethod Code = "unknown_method"
)

// Error is the answer to a call that failed.
type Error struct {
	Code     Code      `json:"code"`
	Message  string    `json:"message"`
	Problems []Problem `json:"problems,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Problem is one mistake in a file.
type Problem struct {
	Path    string `json:"path"`
	Subject string `json:"subject,omitempty"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}
