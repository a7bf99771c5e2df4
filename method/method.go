// Package method names the parts of the planner that can be switched off, to measure the effect of
// each: `bench run --without NAME`. It is the only list of them. A part asks the [Set] in the
// options of its package; a new part gets a constant and a line in All.
package method

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Name of a method.
type Name string

// Schedules of finite objectives.
const (
	ListChanges    Name = "list-changes"
	Balance        Name = "balance"
	SerialDecoder  Name = "serial-decoder"
	Unrelated      Name = "unrelated"
	Lanes          Name = "lanes"
	Residencies    Name = "residencies"
	Exchange       Name = "exchange"
	BinCompletion  Name = "bin-completion"
	Neighbourhoods Name = "neighbourhoods"
	Sizes          Name = "sizes"
)

// Plans that repeat.
const (
	Repetition   Name = "repetition"
	RuinRecreate Name = "ruin-recreate"
)

// Long plans.
const (
	Arrivals Name = "arrivals"
	Phases   Name = "phases"
	Scaling  Name = "scaling"
	// Reservations are for weighted completion.
	Reservations Name = "reservations"
)

// Baselines.
const (
	ExclusiveSearch Name = "exclusive-search"
)

// Bounds.
const (
	Fluid   Name = "fluid"
	Packing Name = "packing"
	Columns Name = "columns"
	// Intervals is for long plans.
	Intervals Name = "intervals"
	Periods   Name = "periods"
	Tree      Name = "tree"
)

// Method is a name and its meaning.
type Method struct {
	Name Name
	What string
}

// All lists the methods.
func All() []Method {
	return []Method{
		{ListChanges, "changes of the best list schedule in greedy"},
		{Balance, "annealing of loads after jobs were placed one by one"},
		{SerialDecoder, "list scheduling that puts iterations into the earliest gaps"},
		{Unrelated, "the assignment search for jobs of one worker on different types of GPUs"},
		{Lanes, "annealing of orders of all operations"},
		{Residencies, "annealing of residencies on an estimate, and list scheduling of them"},
		{Exchange, "assignment of jobs to groups of nodes, and exchanges between them"},
		{BinCompletion, "groups of nodes filled one after the other, so that hardly a GPU idles"},
		{Neighbourhoods, "a few groups of nodes at a time, searched as an instance of their own"},
		{Sizes, "workers of some numbers of GPUs after those of others, on the same GPUs"},
		{RuinRecreate, "ruin and recreate at a fixed period"},
		{Repetition, "patterns of the finite search that repeat"},
		{Arrivals, "jobs of a long plan that share GPUs and are admitted one by one as they come, for the makespan"},
		{Scaling, "where jobs live and which goes first, from plans of a fraction of the iterations of all jobs"},
		{Reservations, "jobs of a long plan that wait for others which are released later, for weighted completion"},
		{Phases, "jobs of a long plan that end one after the other where they share nodes"},
		{ExclusiveSearch, "the search for the best order of whole jobs"},
		{Fluid, "the bound of fluid work on pools of GPUs and links"},
		{Packing, "the bound of whole workers on whole GPUs"},
		{Columns, "the bound of whole-job plans by column generation"},
		{Intervals, "the bound of the work of whole jobs in few intervals of time, for the weighted completion of long plans"},
		{Periods, "the bound of whole numbers of iterations in a period"},
		{Tree, "branch-and-price on small instances"},
	}
}

// Names lists the names of the methods.
func Names() []string {
	var names []string
	for _, m := range All() {
		names = append(names, string(m.Name))
	}
	return names
}

// Set of methods that are switched off; nil: none.
type Set map[Name]bool

// Parse makes a set of names. An unknown name is an error that lists the known ones.
func Parse(names []string) (Set, error) {
	if len(names) == 0 {
		return nil, nil
	}
	s := Set{}
	for _, n := range names {
		s[Name(n)] = true
	}
	return s, s.Check()
}

// Check returns an error if a name in the set is unknown.
func (s Set) Check() error {
	known := Names()
	for _, n := range s.names() {
		if !slices.Contains(known, n) {
			return fmt.Errorf("method: unknown %q; known are %s", n, strings.Join(known, ", "))
		}
	}
	return nil
}

// With is the set with more methods in it.
func (s Set) With(more ...Name) Set {
	all := Set{}
	maps.Copy(all, s)
	for _, n := range more {
		all[n] = true
	}
	return all
}

// names of the set in alphabetical order.
func (s Set) names() []string {
	var names []string
	for n, off := range s {
		if off {
			names = append(names, string(n))
		}
	}
	slices.Sort(names)
	return names
}

// String is the names separated by commas, as [Parse] takes them after splitting.
func (s Set) String() string { return strings.Join(s.names(), ",") }
