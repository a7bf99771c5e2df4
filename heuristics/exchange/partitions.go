package exchange

import (
	"fmt"
	"slices"

	"jigsaw/formulation/instance"
)

// partitions remembers sets of jobs whose schedules on a group of nodes end before the
// best schedule of all does, and looks among them for an exact cover: sets of which
// each job is in one, and that the groups have room for. The job with the fewest sets
// comes first (D. E. Knuth, Dancing links, 2000). Where all but one set of a cover are
// known, the last one is lacking, and is worth scheduling.
type partitions struct {
	area  []float64      // per job: GPU-ticks at the least
	kinds map[string]int // of groups; see kind
	gpus  []int          // per kind
	sets  []set
	tasks int            // of their schedules
	known map[string]int // per set: its index in sets
	fresh []int          // sets that no cover was looked for with
	lacks []missingSet
	asked map[string]bool // what is in lacks, or was
	// checks are how many sets were looked at.
	checks int
}

// set is some jobs on a group of nodes.
type set struct {
	side
	kind int
	jobs jobSet
	area float64
}

// missingSet is a set that would complete a cover.
type missingSet struct {
	kind  int
	jobs  []instance.JobID
	value float64 // estimated
}

// jobSet has a bit for each job.
type jobSet []uint64

const (
	// A set looks for set partitions, and for what they lack, until so many sets were looked at.
	partitionChecks = 50_000
	// Schedules of so many tasks are remembered, and so many lacking sets.
	mostTasks, mostLacks = 2_000_000, 1000
)

func newPartitions(area []float64) *partitions {
	return &partitions{area: area, kinds: map[string]int{}, known: map[string]int{}, asked: map[string]bool{}}
}

// kind returns a number for all groups that a schedule of the part would do for.
func (c *partitions) kind(part *instance.Part) int {
	var key []byte
	for _, n := range part.Nodes {
		n.Name = ""
		key = fmt.Append(key, n)
	}
	for _, l := range part.Links {
		l.Name = ""
		key = fmt.Append(key, l)
	}
	if len(part.Racks) > 1 { // routes between racks may differ
		key = fmt.Append(key, part.GPUsOf)
	}
	k, ok := c.kinds[string(key)]
	if !ok {
		k = len(c.gpus)
		c.kinds[string(key)] = k
		c.gpus = append(c.gpus, len(part.GPUs))
	}
	return k
}

// setKey names a set.
func setKey(kind int, jobs []instance.JobID) string { return fmt.Sprint(kind, jobs) }

// note remembers a set, or a better schedule of one.
func (c *partitions) note(s side, kind int) {
	key := setKey(kind, s.part.JobsOf)
	if at, ok := c.known[key]; ok {
		if s.value < c.sets[at].value {
			c.sets[at].side = s
		}
		return
	}
	if c.tasks += len(s.plan.Tasks); c.tasks > mostTasks {
		c.tasks -= len(s.plan.Tasks)
		return
	}
	n := set{side: s, kind: kind, jobs: c.empty()}
	for _, j := range s.part.JobsOf {
		n.jobs.add(int(j))
		n.area += c.area[j]
	}
	c.known[key] = len(c.sets)
	c.fresh = append(c.fresh, len(c.sets))
	c.sets = append(c.sets, n)
}

// forget leaves out the sets that do not end before the limit.
func (c *partitions) forget(limit float64) {
	var fresh []int
	kept := c.sets[:0]
	clear(c.known)
	for n, s := range c.sets {
		if s.value >= limit {
			c.tasks -= len(s.plan.Tasks)
			continue
		}
		if _, found := slices.BinarySearch(c.fresh, n); found {
			fresh = append(fresh, len(kept))
		}
		c.known[setKey(s.kind, s.part.JobsOf)] = len(kept)
		kept = append(kept, s)
	}
	clear(c.sets[len(kept):])
	c.sets, c.fresh = kept, fresh
}

// look looks for a cover with the set noted last that was not looked with yet, for
// groups of the given kinds. It notes what set partitions with the set lack.
func (c *partitions) look(kinds []int, limit float64) []int {
	first := c.fresh[len(c.fresh)-1]
	c.fresh = c.fresh[:len(c.fresh)-1]
	// No cover ends before the latest of its sets, so that what a group of that end may
	// idle in all is known.
	d := &coverSearch{partitions: c, left: make([]int, len(c.gpus)), end: limit - 1}
	slack := 0.0
	for _, k := range kinds {
		d.left[k]++
		slack += float64(c.gpus[k]) * d.end
		d.most = max(d.most, float64(c.gpus[k])*d.end)
	}
	all, list := c.empty(), make([]int, len(c.sets))
	for j, a := range c.area {
		all.add(j)
		slack -= a
	}
	for n := range list {
		list[n] = n
	}
	for _, d.lacking = range []bool{false, true} {
		d.budget = partitionChecks
		got := d.with(first, list, all, c.empty(), 0, slack)
		c.checks += partitionChecks - d.budget
		if got != nil {
			return got
		}
	}
	return nil
}

// coverSearch is a search for a cover.
type coverSearch struct {
	*partitions
	left    []int // per kind: groups without a set
	end     float64
	most    float64 // GPU-ticks of the largest group
	lacking bool    // set partitions may lack a set
	budget  int     // sets that may still be looked at
}

// with returns a cover of the jobs with set n and others of the list; nil if it finds
// none. The jobs in hole, of so much area, are for the set that is lacking. All groups
// left may idle for the GPU-ticks of slack.
func (d *coverSearch) with(n int, list []int, jobs, hole jobSet, holeArea, slack float64) []int {
	s := &d.sets[n]
	if slack -= d.waste(s); d.left[s.kind] == 0 || slack < 0 {
		return nil
	}
	d.left[s.kind]--
	rest := jobs.without(s.jobs)
	cover := d.of(list, rest, hole, holeArea, slack)
	d.left[s.kind]++
	if cover == nil {
		return nil
	}
	return append(cover, n)
}

// of is with for the jobs that are left: not nil where there are none.
func (d *coverSearch) of(list []int, jobs, hole jobSet, holeArea, slack float64) []int {
	groups := 0
	for _, k := range d.left {
		groups += k
	}
	if jobs.none() {
		return []int{}
	}
	if groups == 0 {
		return nil
	}
	if groups == 1 && d.lacking {
		d.lack(slices.Index(d.left, 1), jobs)
		return nil
	}
	d.budget -= len(list) + len(d.area)
	var fit []int
	counts := make([]int, len(d.area))
	for _, n := range list {
		s := &d.sets[n]
		if d.left[s.kind] > 0 && d.waste(s) <= slack && s.jobs.within(jobs) && !s.jobs.meets(hole) {
			fit = append(fit, n)
			for _, j := range s.part.JobsOf {
				counts[j]++
			}
		}
	}
	pick := -1
	for j, k := range counts {
		if jobs.has(j) && !hole.has(j) && (pick < 0 || k < counts[pick]) {
			pick = j
		}
	}
	if pick < 0 {
		return nil
	}
	for _, n := range fit {
		if !d.sets[n].jobs.has(pick) {
			continue
		}
		if d.budget < 0 {
			return nil
		}
		if cover := d.with(n, fit, jobs, hole, holeArea, slack); cover != nil {
			return cover
		}
	}
	if holeArea += d.area[pick]; !d.lacking || holeArea > d.most || d.budget < 0 {
		return nil
	}
	hole = slices.Clone(hole)
	hole.add(pick)
	return d.of(fit, jobs, hole, holeArea, slack)
}

// waste is for how many GPU-ticks a group with the set idles until the end.
func (d *coverSearch) waste(s *set) float64 { return float64(d.gpus[s.kind])*d.end - s.area }

// lack notes a set that is lacking, once.
func (d *coverSearch) lack(kind int, jobs jobSet) {
	l := missingSet{kind: kind}
	for j := range d.area {
		if jobs.has(j) {
			l.jobs = append(l.jobs, instance.JobID(j))
		}
	}
	key := setKey(kind, l.jobs)
	if _, known := d.known[key]; !known && !d.asked[key] && len(d.lacks) < mostLacks {
		d.asked[key] = true
		d.lacks = append(d.lacks, l)
	}
}

func (c *partitions) empty() jobSet { return make(jobSet, (len(c.area)+63)/64) }

func (s jobSet) add(j int)      { s[j/64] |= 1 << (j % 64) }
func (s jobSet) has(j int) bool { return s[j/64]>>(j%64)&1 != 0 }

func (s jobSet) none() bool { return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }

func (s jobSet) without(o jobSet) jobSet {
	r := slices.Clone(s)
	for n := range r {
		r[n] &^= o[n]
	}
	return r
}

func (s jobSet) within(o jobSet) bool {
	for n := range s {
		if s[n]&^o[n] != 0 {
			return false
		}
	}
	return true
}

func (s jobSet) meets(o jobSet) bool {
	for n := range s {
		if s[n]&o[n] != 0 {
			return true
		}
	}
	return false
}
