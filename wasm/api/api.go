package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// API answers calls. It is safe for concurrent use.
type API struct {
	methods  map[string]method
	compiled recent
	storage  storage
}

// New returns an API that keeps scenarios in the store returned by open, which is called
// when the store is first needed; nil: in memory.
func New(open func(context.Context) (Store, error)) *API {
	if open == nil {
		open = func(context.Context) (Store, error) { return nil, errNoStore }
	}
	return &API{methods: methods(), storage: storage{open: open}}
}

// NewFirst returns an API with the methods that a page's first plan needs; see [jigsaw.First].
// Its plans are quick plans without linear programs.
func NewFirst() *API {
	return &API{methods: map[string]method{
		"compile": of((*API).compile),
		"plan":    streaming((*API).first),
		"explain": of((*API).explain),
	}}
}

// Event is sent while a call runs.
type Event struct {
	Point    PlanPoint
	Schedule *Schedule // nil: no new incumbent
	Long     *LongPlan // nil: none in blocks
	Progress *Progress // nil for plans
}

// method is one entry of the contract.
type method struct {
	// params returns a pointer to zero parameters, into which to decode.
	params func() any
	call   func(a *API, ctx context.Context, params any, send func(Event)) (any, error)
}

// of makes a method from a function with parameters of its own type.
func of[P, R any](f func(*API, context.Context, *P) (R, error)) method {
	return streaming(func(a *API, ctx context.Context, p *P, _ func(Event)) (R, error) { return f(a, ctx, p) })
}

// streaming is [of] for a function that sends events while it runs.
func streaming[P, R any](f func(*API, context.Context, *P, func(Event)) (R, error)) method {
	return method{
		params: func() any { return new(P) },
		call: func(a *API, ctx context.Context, params any, send func(Event)) (any, error) {
			return f(a, ctx, params.(*P), send)
		},
	}
}

// none are the parameters of a method without any.
type none struct{}

func methods() map[string]method {
	return map[string]method{
		"version":       of((*API).version),
		"profiles":      of((*API).profiles),
		"schema":        of((*API).schema),
		"estimate":      of((*API).estimate),
		"compile":       of((*API).compile),
		"plan":          streaming((*API).plan),
		"judge":         of((*API).judge),
		"explain":       of((*API).explain),
		"export":        of((*API).export),
		"what_if":       of((*API).whatIf),
		"change":        of((*API).change),
		"plan_bursts":   of((*API).planBursts),
		"mold":          of((*API).mold),
		"remedies":      of((*API).remedies),
		"resilience":    streaming((*API).resilience),
		"store_list":    of((*API).storeList),
		"store_get":     of((*API).storeGet),
		"store_put":     of((*API).storePut),
		"store_remove":  of((*API).storeRemove),
		"store_history": of((*API).storeHistory),
	}
}

// Methods lists the names of all methods.
func Methods() []string { return slices.Sorted(maps.Keys(methods())) }

// Call runs a method. decode fills the parameters, a pointer to a struct; its
// error says what is wrong with them. send is called with events while the method
// runs, possibly from other goroutines, one at a time. The error is an [*Error].
func (a *API) Call(ctx context.Context, name string, decode func(params any) error, send func(Event)) (any, error) {
	m, ok := a.methods[name]
	if !ok {
		return nil, &Error{Code: UnknownMethod, Message: fmt.Sprintf("there is no method %q; the methods are %s", name, strings.Join(slices.Sorted(maps.Keys(a.methods)), ", "))}
	}
	params := m.params()
	if err := decode(params); err != nil {
		return nil, &Error{Code: Invalid, Message: fmt.Sprintf("%s: %v", name, err)}
	}
	result, err := m.call(a, ctx, params, send)
	if err != nil {
		return nil, answer(ctx, err)
	}
	return result, nil
}

// answer is the error in the form returned to the caller.
func answer(ctx context.Context, err error) *Error {
	var e *Error
	var problems instance.Problems
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &problems):
		return &Error{Code: Invalid, Message: err.Error(), Problems: problemList(problems)}
	case ctx.Err() != nil:
		return &Error{Code: Cancelled, Message: "stopped"}
	}
	return &Error{Code: Internal, Message: err.Error()}
}

// invalid is an error that the caller can correct.
func invalid(format string, args ...any) error {
	return &Error{Code: Invalid, Message: fmt.Sprintf(format, args...)}
}

func problemList(problems instance.Problems) []Problem {
	list := make([]Problem, len(problems))
	for i, p := range problems {
		list[i] = Problem{Path: p.Path, Subject: p.Subject, Line: p.Line, Column: p.Column, Message: p.Message}
	}
	return list
}
