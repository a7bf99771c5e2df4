package api

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
)

// scenario is what could be read of an instance file.
type scenario struct {
	text     string
	document *codec.Document    // nil: it cannot be decoded
	in       *instance.Instance // nil: there are problems, or special says which method compiles it
	problems instance.Problems
}

// unnamed is the name of an instance whose file has none, in place of the file's
// name.
const unnamed = "scenario"

// read decodes and compiles a file. Mistakes in the file are not errors.
func read(text string) (*scenario, error) {
	s := &scenario{text: text}
	var err error
	if s.document, err = codec.Decode([]byte(text)); err != nil {
		return s, s.fault(err)
	}
	if s.document.Spec.Name == "" {
		s.document.Spec.Name = unnamed
	}
	if s.problems = tooLarge(s.document); s.problems != nil {
		return s, nil
	}
	if s.special() != "" {
		return s, nil // its method compiles it
	}
	if s.in, err = s.document.Compile(profiles.Shipped()); err != nil {
		return s, s.fault(err)
	}
	return s, nil
}

// fault records the problems of a file, and returns other errors.
func (s *scenario) fault(err error) error {
	if errors.As(err, &s.problems) {
		return nil
	}
	return err
}

// Limits of a page, where memory is scarce and nothing runs in parallel: GPUs, jobs, and
// tasks of a plan that is not in blocks.
const (
	maxGPUs    = 20_000
	maxJobs    = 20_000
	maxWritten = 3_000_000
)

// tooLarge returns an error for an instance that only the command line can plan, before
// it is compiled.
func tooLarge(d *codec.Document) instance.Problems {
	gpus, jobs := 0.0, 0.0
	for _, r := range d.Spec.Cluster.Racks {
		gpus += float64(max(1, r.Count)) * float64(r.Nodes) * float64(r.GPUs)
	}
	for _, n := range d.Spec.Cluster.Nodes {
		gpus += float64(n.GPUs)
	}
	for _, j := range d.Spec.Jobs {
		if !j.Disabled {
			jobs += float64(max(1, j.Count))
		}
	}
	problem := func(path, what string, n float64, most int) instance.Problems {
		line, column := d.Position(path)
		return instance.Problems{{Path: path, Line: line, Column: column,
			Message: fmt.Sprintf("%.0f %s are more than the %d that fit a browser; plan this one with the command line", n, what, most)}}
	}
	switch {
	case gpus > maxGPUs:
		return problem("cluster", "GPUs", gpus, maxGPUs)
	case jobs > maxJobs:
		return problem("jobs", "jobs", jobs, maxJobs)
	}
	return nil
}

// keepRecent is how many files are remembered: the page makes several calls
// about one file, and compares two.
const keepRecent = 4

// recent remembers the files read last, so that several calls about a file compile
// it only once. The latest comes first.
type recent struct {
	mu   sync.Mutex
	list []*scenario
}

// read is the function [read].
func (r *recent) read(text string) (*scenario, error) {
	r.mu.Lock()
	at := slices.IndexFunc(r.list, func(s *scenario) bool { return s.text == text })
	if at >= 0 {
		s := r.list[at]
		r.list = slices.Insert(slices.Delete(r.list, at, at+1), 0, s)
		r.mu.Unlock()
		return s, nil
	}
	r.mu.Unlock()
	s, err := read(text)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.Insert(r.list, 0, s)
	r.list = r.list[:min(len(r.list), keepRecent)]
	return s, nil
}

// instance returns the compiled instance of a file, or its problems as an error.
func (r *recent) instance(text string) (*scenario, error) {
	s, err := r.read(text)
	if err == nil && s.in == nil {
		err = s.problems
		if method := s.special(); method != "" {
			err = invalid("burst-parallel, background and moldable jobs are planned by %s", method)
		}
	}
	return s, err
}
