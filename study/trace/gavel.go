package trace

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// The fields of a line of Gavel: ten of them, or seven in older traces.
//
//	10: type, command, folder, name of the steps' argument, needs data, steps, GPUs, weight, SLO, arrival in s
//	 7: type, command, name of the steps' argument, needs data, steps, arrival in s, GPUs
type gavelFields struct{ steps, gpus, weight, arrival int }

var gavelLayouts = map[int]gavelFields{10: {5, 6, 7, 9}, 7: {4, 6, -1, 5}}

var batchInName = regexp.MustCompile(`^(.*) \(batch size (\d{1,8})\)$`)

// longestLine is the longest accepted line of a Gavel trace, in bytes.
const longestLine = 1 << 20

// gavel reads all lines. Jobs are numbered from 0, as Gavel does.
func (r *reader) gavel(in io.Reader) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<12), longestLine)
	width := 0
	for line := 1; !r.full() && lines.Scan(); line++ {
		text := strings.TrimSuffix(lines.Text(), "\r")
		if text == "" {
			continue
		}
		fields := strings.Split(text, "\t")
		at, ok := gavelLayouts[len(fields)]
		switch {
		case !ok:
			r.problem(line, 1, "the line has %d tab-separated fields; a Gavel trace has 10, or 7 in the older form", len(fields))
			continue
		case width != 0 && len(fields) != width:
			r.problem(line, 1, "the line has %d fields, those before it have %d", len(fields), width)
			continue
		}
		width = len(fields)
		column := func(k int) int { return len(strings.Join(fields[:k], "\t")) + min(k, 1) + 1 }
		before := r.found
		check := func(k int, name, message string) {
			if message != "" {
				r.problem(line, column(k), "%s: %s", name, message)
			}
		}
		job := Job{ID: strconv.Itoa(len(r.trace.Jobs)), Model: fields[0], Weight: 1, line: line, gpusAt: column(at.gpus), modelAt: 1}
		if m := batchInName.FindStringSubmatch(fields[0]); m != nil {
			job.Model = m[1]
			job.Batch, _ = strconv.Atoi(m[2])
		}
		if job.Model == "" {
			r.problem(line, 1, "the job names no type")
		}
		var message string
		job.Iterations, message = wholeNumber(fields[at.steps], mostIterations)
		check(at.steps, "total steps", message)
		gpus, message := wholeNumber(fields[at.gpus], mostGPUs)
		job.GPUs = int(gpus)
		check(at.gpus, "scale factor", message)
		if job.Arrival, message = number(fields[at.arrival], 0); message == "" && job.Arrival > longest {
			message = "the arrival is more than a hundred years away; it is in seconds"
		}
		check(at.arrival, "arrival time", message)
		if at.weight >= 0 {
			if job.Weight, message = number(fields[at.weight], 0); message == "" && job.Weight == 0 {
				message = "a weight is above 0"
			}
			check(at.weight, "priority weight", message)
		}
		if r.found == before {
			r.add(job, 1)
		}
	}
	if err := lines.Err(); err != nil {
		r.problem(0, 0, "%v", err)
	}
}
