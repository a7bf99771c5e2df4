package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// Streams are the input and outputs of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Quiet    *bool // suppress progress and notes
}

// Guard returns streams for a command: the input ends with ctx, and failed returns the first error
// of writing to the output, for commands that print line by line without checking.
func (s Streams) Guard(ctx context.Context) (guarded Streams, failed func() error) {
	out := &output{w: s.Out}
	return Streams{In: input{ctx, s.In}, Out: out, Err: s.Err, Quiet: new(bool)}, func() error { return out.err }
}

// Note prints a line in addition to the result, on standard error.
func (s Streams) Note(format string, args ...any) {
	if !*s.Quiet {
		fmt.Fprintf(s.Err, format+"\n", args...)
	}
}

// Notes prints, below a table, what was omitted from it, and why.
func (s Streams) Notes(w io.Writer, notes []string) {
	for _, n := range notes {
		if !*s.Quiet {
			fmt.Fprintf(w, "note: %s\n", n)
		}
	}
}

// Counter shows on a terminal how many out of how many are done, until end.
func (s Streams) Counter(what string) (show func(done, of int), end func()) {
	f, ok := s.Terminal()
	if !ok {
		return func(int, int) {}, func() {}
	}
	return func(done, of int) { fmt.Fprintf(f, "\r%d of %d %s", done, of, what) }, func() { fmt.Fprint(f, "\r\033[K") }
}

// Terminal returns standard error if it is a terminal on which a line can be
// overwritten, and progress is permitted.
func (s Streams) Terminal() (f *os.File, ok bool) {
	f, ok = s.Err.(*os.File)
	return f, ok && !*s.Quiet && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// output remembers that a write failed, for commands that print line by line
// without checking.
type output struct {
	w   io.Writer
	err error
}

// Write writes until a write fails, and nothing afterwards.
func (o *output) Write(p []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	n, o.err = o.w.Write(p)
	return n, o.err
}

// input ends with its context: the first Ctrl-C ends the wait for standard input, too.
type input struct {
	ctx context.Context
	r   io.Reader
}

// Read reads, unless the context ends first. What is read after that is lost.
func (i input) Read(p []byte) (int, error) {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data := make([]byte, len(p)) // p belongs to the caller again once Read has returned
		n, err := i.r.Read(data)
		done <- read{data[:n], err}
	}()
	select {
	case r := <-done:
		return copy(p, r.data), r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
