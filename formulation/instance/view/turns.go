package view

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"time"

	"jigsaw/formulation/instance"
)

// TurnSheets are dispatch lists, one for each GPU, that a runtime can follow; see docs/turns.md.
type TurnSheets struct {
	Version  int    `json:"version"`
	Instance string `json:"instance"`
	TickUS   int64  `json:"tick_us"`
	// Begin is when time 0 is, by the clock, as [Begin] writes it; empty where that is not known.
	Begin string      `json:"begin,omitempty"`
	GPUs  []TurnSheet `json:"gpus"`
}

// TurnSheet is what a GPU does: its sections, one after the other.
type TurnSheet struct {
	GPU  int    `json:"gpu"`
	Node string `json:"node"`
	// Place of the GPU in its node, from 0.
	Place    int           `json:"place"`
	Sections []TurnSection `json:"sections"`
}

// TurnSection is a sequence of turns that repeats. In round r = 0, 1, ... every turn is taken, in order,
// whose repeat r - Lag is one of 0..Repeats-1: there are Repeats rounds, and as many more as the greatest lag.
type TurnSection struct {
	// Repeats is 0 where the sequence repeats for ever.
	Repeats int64 `json:"repeats"`
	// Start and Period in ticks: round r is planned from Start + r x Period on.
	Start  instance.Tick `json:"start"`
	Period instance.Tick `json:"period"`
	Turns  []Turn        `json:"turns"`
}

// Turn is the forward pass of a worker, and its backward pass down to a depth.
type Turn struct {
	Job string `json:"job"`
	// Iteration of repeat 0; in repeat m it is Iteration + m x Step.
	Iteration int `json:"iteration"`
	Step      int `json:"step"`
	// Depth in layers, from the last one.
	Depth int   `json:"depth"`
	Lag   int64 `json:"lag,omitempty"`
	// At is when the turn is planned in its round, ticks after the round's start.
	At instance.Tick `json:"at"`
}

// Turns writes the turn sheets of a plan as JSON: of one in blocks, or, where that is nil, of a plain one. begin is when it begins, by
// the clock; zero: not known.
func Turns(w io.Writer, in *instance.Instance, s *instance.Schedule, blocks *instance.BlockSchedule, begin time.Time) error {
	if blocks == nil {
		blocks = s.Block()
		if s.Period > 0 {
			blocks.Blocks[0].Period, blocks.Blocks[0].Repeats = s.Period, 0
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	sheets := turnSheets(in, blocks)
	if !begin.IsZero() {
		sheets.Begin = Begin(begin)
	}
	return e.Encode(sheets)
}

func turnSheets(in *instance.Instance, plan *instance.BlockSchedule) *TurnSheets {
	sheets := &TurnSheets{Version: 1, Instance: in.Name, TickUS: in.TickUS, GPUs: make([]TurnSheet, len(in.GPUs))}
	for g := range sheets.GPUs {
		node := &in.Nodes[in.GPUs[g].Node]
		sheets.GPUs[g] = TurnSheet{GPU: g, Node: node.Name, Place: node.Place(instance.GPUID(g)), Sections: []TurnSection{}}
	}
	done := make([]int, len(in.Jobs)) // iterations in the blocks before
	for i := range plan.Blocks {
		b := &plan.Blocks[i]
		step := b.IterationsOf()
		on := map[instance.GPUID][]Turn{}
		for _, t := range b.Tasks {
			job := &in.Jobs[t.Job]
			turn := Turn{Job: job.Name, Iteration: done[t.Job] + t.Iteration, Step: step[t.Job], Depth: job.Depths[t.Depth].Layers, At: t.Start}
			if b.Period > 0 {
				turn.Lag, turn.At = int64(t.Start/b.Period), t.Start%b.Period
			}
			on[t.GPU] = append(on[t.GPU], turn)
		}
		for g, turns := range on {
			slices.SortFunc(turns, func(x, y Turn) int {
				return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.Job, y.Job), cmp.Compare(x.Iteration, y.Iteration))
			})
			sheets.GPUs[g].Sections = append(sheets.GPUs[g].Sections, TurnSection{b.Repeats, b.Start, b.Period, turns})
		}
		for j, n := range step {
			done[j] += n * int(b.Repeats)
		}
	}
	for g := range sheets.GPUs {
		slices.SortStableFunc(sheets.GPUs[g].Sections, func(x, y TurnSection) int { return cmp.Compare(x.begins(), y.begins()) })
	}
	return sheets
}

// begins is when the first turn of a section is planned.
func (s *TurnSection) begins() instance.Tick {
	first := instance.Tick(1) << 62
	for _, t := range s.Turns {
		first = min(first, s.Start+instance.Tick(t.Lag)*s.Period+t.At)
	}
	return first
}
