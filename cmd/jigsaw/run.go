package main

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

// work is the flags that say how much a run is to do.
type work struct {
	time   time.Duration
	effort int
	noLP   bool
}

func (o *work) flags(c *cobra.Command) {
	f := c.Flags()
	f.DurationVar(&o.time, "time", 0, "time limit, like 10s; 0 is none: the run then ends after a fixed amount of work")
	f.IntVar(&o.effort, "effort", 1, "how many times the usual amount of work to do where there is no time limit")
	f.BoolVar(&o.noLP, "no-lp", false, "leave out the bounds that need a linear program")
}

// runOptions are the flags of every command whose result is that of one run.
type runOptions struct {
	work
	timeless    bool
	log         bool
	certificate string
}

func (o *runOptions) flags(c *cobra.Command) {
	o.work.flags(c)
	f := c.Flags()
	f.BoolVar(&o.timeless, "timeless", false, "print no times of the run, so that equal runs print the same")
	f.BoolVar(&o.log, "log", false, "print a line for every new incumbent and bound on standard error")
	f.StringVar(&o.certificate, "certificate", "", "write the proof of the bound, or of infeasibility, into this JSON `file`; see jigsaw certify")
}

// options returns the options of a run, or says what is wrong with the flags.
func (o *work) options(quick bool) (jigsaw.Options, error) {
	switch {
	case o.time < 0:
		return jigsaw.Options{}, usage(errors.New("--time must not be negative"))
	case o.effort < 1:
		return jigsaw.Options{}, usage(fmt.Errorf("--effort %d: it is a factor of at least 1", o.effort))
	case o.effort > 1 && o.time > 0:
		return jigsaw.Options{}, usage(errors.New("--effort is for runs without a limit: with --time all of the time is used; leave one of them out"))
	case o.effort > 1 && quick:
		return jigsaw.Options{}, usage(errors.New("--effort asks for more work, --quick for less; leave one of them out"))
	}
	return jigsaw.Options{Time: o.time, Effort: o.effort, NoLP: o.noLP, Quick: quick}, nil
}

// watcher follows a run. end is called once, with a nil result after an error.
type watcher interface {
	show(jigsaw.Point)
	end(*jigsaw.Result)
}

func (o *runOptions) watcher(std streams, in *instance.Instance) watcher {
	if o.log {
		return newEventLog(std.err, in, o.timeless)
	}
	return newProgress(std, in)
}

// prove writes the certificate, if it was asked for.
func (o *runOptions) prove(r *jigsaw.Result) error {
	switch {
	case o.certificate == "":
		return nil
	case r.Proof == nil:
		return errors.New("there is no certified bound to write a certificate of")
	}
	return writeFile(o.certificate, func(w io.Writer) error { return jigsaw.EncodeCertificate(w, r.Proof) })
}

// fraction is a flag that takes 1% or 0.01.
type fraction float64

func (f *fraction) String() string { return strconv.FormatFloat(100*float64(*f), 'g', -1, 64) + "%" }

// Set checks the value while the flags are parsed.
func (f *fraction) Set(s string) error {
	number, percent := strings.CutSuffix(s, "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	if err != nil || math.IsNaN(v) || v < 0 || v >= 1 {
		return errors.New("write a percentage below 100%, like 1%, or a fraction below 1, like 0.01")
	}
	*f = fraction(v)
	return nil
}

// Type names the flag's value in the help.
func (f *fraction) Type() string { return "percent" }
