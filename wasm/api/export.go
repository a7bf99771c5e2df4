package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strings"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
)

type exportParams struct {
	Text      string    `json:"text"`
	Format    string    `json:"format"`
	Schedule  *Schedule `json:"schedule,omitempty"`
	Bound     *float64  `json:"bound,omitempty"`
	Certified bool      `json:"certified,omitempty"`
}

// File is a file that the page offers for download.
type File struct {
	Name string `json:"name"`
	MIME string `json:"mime"`
	Data string `json:"data"`
}

// exporter writes one format.
type exporter struct {
	extension, mime string
	write           func(context.Context, io.Writer, *scenario, *exportParams) error
}

func exporters() map[string]exporter {
	return map[string]exporter{
		"yaml":     {".yaml", "application/yaml", exportYAML},
		"json":     {".json", "application/json", exportJSON},
		"mps":      {".mps", "text/plain", exportProgram},
		"lp":       {".lp", "text/plain", exportProgram},
		"svg":      {".svg", "image/svg+xml", ofSchedule(exportSVG)},
		"csv":      {".csv", "text/csv", ofSchedule(exportCSV)},
		"trace":    {".trace.json", "application/json", ofSchedule(exportTrace)},
		"schedule": {".schedule.json", "application/json", ofSchedule(exportSchedule)},
		"result":   {".plan.json", "application/json", ofSchedule(exportResult)},
	}
}

func (a *API) export(ctx context.Context, p *exportParams) (*File, error) {
	e, ok := exporters()[p.Format]
	if !ok {
		return nil, invalid("there is no format %q; choose yaml, json, mps, lp, svg, csv, trace, schedule or result", p.Format)
	}
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if err := e.write(ctx, &data, s, p); err != nil {
		return nil, err
	}
	return &File{fileName(s.in.Name) + e.extension, e.mime, data.String()}, nil
}

// maxFileName is the most bytes of a name that are used for a file name.
const maxFileName = 60

// fileName turns any name into a file name that needs no quotes in a shell and is
// not an option, a path or a hidden file.
func fileName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxFileName {
			break
		}
	}
	if file := strings.Trim(b.String(), "-"); file != "" {
		return file
	}
	return unnamed
}

// exportYAML keeps a YAML file as it is written, with its comments.
func exportYAML(_ context.Context, w io.Writer, s *scenario, _ *exportParams) error {
	if strings.HasPrefix(strings.TrimLeft(s.text, "\ufeff \t\r\n"), "{") {
		return codec.EncodeYAML(w, s.document.Spec)
	}
	_, err := io.WriteString(w, s.text)
	return err
}

func exportJSON(_ context.Context, w io.Writer, s *scenario, _ *exportParams) error {
	return codec.EncodeJSON(w, s.document.Spec)
}

// maxCoefficients is the most coefficients of an integer program of the page: some
// 200 MB of text, which a browser can still handle.
const maxCoefficients = 5_000_000

// exportProgram writes the time-indexed program. A known plan makes it smaller: its
// solutions then end no later than the plan, or have its period.
func exportProgram(ctx context.Context, w io.Writer, s *scenario, p *exportParams) error {
	options := jigsaw.ExportOptions{Coefficients: maxCoefficients}
	if p.Schedule != nil {
		schedule, err := p.Schedule.valid(s.in)
		if err != nil {
			return err
		}
		options.Period = schedule.Period
		if s.in.Objective == instance.Makespan {
			options.Horizon = schedule.Makespan(s.in)
		}
	} else if s.in.Objective.Periodic() {
		return invalid("a plan for %s repeats, and each period is a program of its own: plan first", s.in.Objective)
	}
	_, err := jigsaw.Export(ctx, s.in, w, p.Format, options)
	if errors.Is(err, jigsaw.ErrTooLarge) {
		return invalid("the integer program is too large for a page, over %d million coefficients with ticks of %d us: set a longer tick_us, of which ten times the length makes a hundredth of the size, "+
			"take some jobs or GPUs out, or export it with the command line: jigsaw export", maxCoefficients/1_000_000, s.in.TickUS)
	}
	if err != nil && ctx.Err() == nil {
		return invalid("%s", strings.TrimPrefix(err.Error(), "formulation: "))
	}
	return err
}

// ofSchedule is an export that needs a schedule.
func ofSchedule(write func(io.Writer, *instance.Instance, *instance.Schedule, *exportParams) error) func(context.Context, io.Writer, *scenario, *exportParams) error {
	return func(_ context.Context, w io.Writer, s *scenario, p *exportParams) error {
		if p.Schedule == nil {
			return invalid("the format %q shows a plan: plan first", p.Format)
		}
		schedule, err := p.Schedule.valid(s.in)
		if err != nil {
			return err
		}
		return write(w, s.in, schedule, p)
	}
}

func exportSVG(w io.Writer, in *instance.Instance, s *instance.Schedule, p *exportParams) error {
	options := view.GanttOptions{Certified: p.Certified}
	if p.Bound != nil {
		options.Bound = *p.Bound
	}
	return view.Gantt(w, in, s, options)
}

func exportCSV(w io.Writer, in *instance.Instance, s *instance.Schedule, _ *exportParams) error {
	return view.CSV(w, in, s)
}

func exportTrace(w io.Writer, in *instance.Instance, s *instance.Schedule, _ *exportParams) error {
	return view.Trace(w, in, s)
}

func exportSchedule(w io.Writer, in *instance.Instance, s *instance.Schedule, _ *exportParams) error {
	return codec.EncodeSchedule(w, in, s)
}

// exportResult writes what the page has in the format of `jigsaw plan -o json`.
func exportResult(w io.Writer, in *instance.Instance, s *instance.Schedule, p *exportParams) error {
	r := &jigsaw.Result{Instance: in, Schedule: s, Primal: in.Value(s), Status: jigsaw.Feasible, Certified: p.Certified}
	if p.Bound != nil {
		if r.Dual = new(big.Rat).SetFloat64(*p.Bound); r.Dual == nil {
			return invalid("bound %v is not a number", *p.Bound)
		}
		if p.Certified && *jigsaw.Number(r.Primal) == *p.Bound {
			r.Status = jigsaw.Optimal
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r.Document(true))
}
