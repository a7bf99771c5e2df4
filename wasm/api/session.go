package api

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Session runs the calls of one page concurrently, identified by the ids that the page
// gave them.
type Session struct {
	api  *API
	post func(reply any)

	mu      sync.Mutex
	running map[int]context.CancelFunc
}

// The replies of a session, of which Data and Failure are the last of a call.
type (
	// Data is the result of a call.
	Data struct {
		ID   int `json:"id"`
		Data any `json:"data"`
	}
	// Failure is the error of a call.
	Failure struct {
		ID    int    `json:"id"`
		Error *Error `json:"error"`
	}
	// PlanEvent is sent while a call runs.
	PlanEvent struct {
		ID       int       `json:"id"`
		Event    PlanPoint `json:"event"`
		Schedule *Schedule `json:"schedule,omitempty"`
		Long     *LongPlan `json:"long,omitempty"`
		Progress *Progress `json:"progress,omitempty"`
	}
	// Ready is the first message of a worker.
	Ready struct {
		Ready bool `json:"ready"`
		Version
	}
)

// NewSession returns a session that posts its replies to the page, possibly from
// several goroutines at once.
func NewSession(api *API, post func(reply any)) *Session {
	return &Session{api: api, post: post, running: map[int]context.CancelFunc{}}
}

// Start runs a call; see [API.Call].
func (s *Session) Start(id int, method string, decode func(params any) error) {
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	_, twice := s.running[id]
	if !twice {
		s.running[id] = cancel
	}
	s.mu.Unlock()
	if twice {
		cancel()
		s.post(Failure{id, &Error{Code: Invalid, Message: fmt.Sprintf("request %d is still running; give every request an id of its own", id)}})
		return
	}
	go func() {
		reply := s.run(ctx, id, method, decode)
		s.mu.Lock()
		delete(s.running, id)
		s.mu.Unlock()
		cancel()
		s.post(reply)
	}()
}

// run returns the last reply of a call. A panic is a fault of JigSaw: it is reported to
// the page, and the other calls go on.
func (s *Session) run(ctx context.Context, id int, method string, decode func(any) error) (reply any) {
	defer func() {
		if reason := recover(); reason != nil {
			reply = Failure{id, &Error{Code: Internal, Message: fmt.Sprintf("%s panicked: %v\n%s", method, reason, debug.Stack())}}
		}
	}()
	data, err := s.api.Call(ctx, method, decode, func(e Event) { s.post(PlanEvent{id, e.Point, e.Schedule, e.Long, e.Progress}) })
	if err != nil {
		return Failure{id, answer(ctx, err)}
	}
	return Data{id, data}
}

// Cancel cancels a running call; its last reply still follows.
func (s *Session) Cancel(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[id]; cancel != nil {
		cancel()
	}
}

// Refuse answers a message that is not a request.
func (s *Session) Refuse(id int, err error) {
	s.post(Failure{id, &Error{Code: Invalid, Message: err.Error()}})
}
