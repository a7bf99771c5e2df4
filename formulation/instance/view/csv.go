package view

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"jigsaw/formulation/instance"
)

// csvColumns of the table; depths are in layers, times in milliseconds exact.
var csvColumns = []string{
	"kind", "job", "iteration", "gpu", "node", "gpu_type", "depth", "full_depth",
	"start_tick", "end_tick", "start_ms", "end_ms", "rate_divisor", "rate_bit_s", "bytes",
}

// CSV writes one table of all tasks and syncs, in the schedule's canonical
// order: for every job and iteration its tasks, then its sync. Columns that
// do not apply are empty. A sync runs at 1/rate_divisor of the slowest link on
// its routes (the fraction itself would be read as a date) and every party of
// it sends bytes. Times of a periodic plan are unrolled, as in the schedule.
//
// Spreadsheets run cells that begin with = + - @ or a control character as
// formulas. Names that begin so, or with an apostrophe, get an apostrophe in
// front; a reader gets the name back by removing one leading apostrophe.
func CSV(w io.Writer, in *instance.Instance, s *instance.Schedule) error {
	p, err := newPlan(in, s)
	if err != nil {
		return err
	}
	c := csv.NewWriter(w)
	if err := c.Write(csvColumns); err != nil {
		return err
	}
	row := make([]string, len(csvColumns))
	times := func(start, end instance.Tick) {
		row[8], row[9] = strconv.FormatInt(int64(start), 10), strconv.FormatInt(int64(end), 10)
		row[10], row[11] = millis(in, start), millis(in, end)
	}
	y := 0
	syncsBefore := func(j instance.JobID, iteration int) error {
		for ; y < len(p.syncs); y++ {
			sync := &p.syncs[y]
			if sync.Job > j || sync.Job == j && sync.Iteration >= iteration {
				return nil
			}
			clear(row)
			row[0], row[1], row[2] = "sync", cell(in.Jobs[sync.Job].Name), strconv.Itoa(sync.Iteration)
			times(sync.Start, sync.End)
			row[12] = strconv.Itoa(int(sync.Rate))
			row[13] = strconv.FormatInt(int64(p.moves[y].rate), 10)
			row[14] = strconv.FormatInt(int64(p.moves[y].volume), 10)
			if err := c.Write(row); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range p.tasks {
		t := &p.tasks[i]
		if err := syncsBefore(t.Job, t.Iteration); err != nil {
			return err
		}
		job, gpu := &in.Jobs[t.Job], in.GPUs[t.GPU]
		clear(row)
		row[0], row[1], row[2] = "task", cell(job.Name), strconv.Itoa(t.Iteration)
		row[3], row[4], row[5] = strconv.Itoa(int(t.GPU)), cell(in.Nodes[gpu.Node].Name), cell(in.Types[gpu.Type].Name)
		row[6], row[7] = strconv.Itoa(job.Depths[t.Depth].Layers), strconv.Itoa(job.Depths[job.Full()].Layers)
		times(t.Start, t.End)
		if err := c.Write(row); err != nil {
			return err
		}
	}
	if err := syncsBefore(instance.JobID(len(in.Jobs)), 0); err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}

// cell guards a name against being read as a formula. Full-width signs count
// too: some spreadsheets read them as the plain ones.
func cell(name string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(name, unicode.IsSpace))
	leading, _ := utf8.DecodeRuneInString(name)
	if strings.ContainsRune("=+-@'＝＋－＠", first) || unicode.IsControl(first) || unicode.IsControl(leading) {
		return "'" + name
	}
	return name
}
