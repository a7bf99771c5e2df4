package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// WorkFlags are the flags for how much work a run does.
type WorkFlags struct {
	time   time.Duration
	effort int
	noLP   bool
}

// Flags adds the flags to a command.
func (o *WorkFlags) Flags(c *cobra.Command) {
	f := c.Flags()
	f.DurationVar(&o.time, "time", 0, "time limit, like 10s; 0 is none: the run then ends after a fixed amount of work")
	f.IntVar(&o.effort, "effort", 1, "multiple of the usual amount of work, for runs without a time limit")
	f.BoolVar(&o.noLP, "no-lp", false, "leave out the bounds that need a linear program")
}

// RunFlags are the flags of every command whose result comes from one run.
type RunFlags struct {
	WorkFlags
	Timeless    bool
	log         bool
	Certificate string
}

// Flags adds the flags to a command.
func (o *RunFlags) Flags(c *cobra.Command) {
	o.WorkFlags.Flags(c)
	f := c.Flags()
	f.BoolVar(&o.Timeless, "timeless", false, "leave out times of the run, so that equal runs print the same")
	f.BoolVar(&o.log, "log", false, "print a line for every new bound, and for incumbents that are clearly better, on standard error")
	f.StringVar(&o.Certificate, "certificate", "", "write the proof of the bound, or of infeasibility, into this JSON `file`; see jigsaw certify")
}

// Options returns the options of a run, or an error for invalid flags.
func (o *WorkFlags) Options(quick bool) (jigsaw.Options, error) {
	switch {
	case o.time < 0:
		return jigsaw.Options{}, Usage(errors.New("--time must not be negative"))
	case o.effort < 1:
		return jigsaw.Options{}, Usage(fmt.Errorf("--effort %d: it is a factor of at least 1", o.effort))
	case o.effort > 1 && o.time > 0:
		return jigsaw.Options{}, Usage(errors.New("--effort is for runs without a limit: with --time all of the time is used; leave one of them out"))
	case o.effort > 1 && quick:
		return jigsaw.Options{}, Usage(errors.New("--effort asks for more work, --quick for less; leave one of them out"))
	}
	return jigsaw.Options{Time: o.time, Effort: o.effort, NoLP: o.noLP, Quick: quick}, nil
}

// Watcher follows a run. End is called once, with a nil result after an error.
type Watcher interface {
	Show(jigsaw.Point)
	End(*jigsaw.Result)
}

// Watcher prints the progress of a run: each new incumbent and bound with --log, otherwise one
// changing line.
func (o *RunFlags) Watcher(std Streams, in *instance.Instance) Watcher {
	if o.log {
		return newEventLog(std.Err, in, o.Timeless)
	}
	return NewProgress(std, in)
}

// Prove writes a certificate to a file, if one was requested.
func Prove(name string, c *jigsaw.Certificate) error {
	switch {
	case name == "":
		return nil
	case c == nil:
		return errors.New("there is no certified bound to write a certificate of")
	}
	return WriteFile(name, func(w io.Writer) error { return jigsaw.EncodeCertificate(w, c) })
}

// Fraction is a flag that takes 1% or 0.01.
type Fraction float64

func (f *Fraction) String() string {
	if *f == 0 {
		return "" // the help then shows no default
	}
	return strconv.FormatFloat(100*float64(*f), 'g', -1, 64) + "%"
}

// Set checks the value while the flags are parsed.
func (f *Fraction) Set(s string) error {
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || math.IsNaN(v) || v < 0 || v >= 1 {
		return errors.New("write a percentage below 100%, like 1%, or a fraction below 1, like 0.01")
	}
	*f = Fraction(v)
	return nil
}

// Type names the flag's value in the help.
func (f *Fraction) Type() string { return "percent" }
