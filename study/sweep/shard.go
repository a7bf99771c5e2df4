package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Shard is part Index, from 0, of Count parts of a study. The zero value is the
// whole.
type Shard struct{ Index, Count int }

func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Set parses "3/8": the shards of 8 are 0/8 to 7/8. It makes a shard a flag.
func (s *Shard) Set(text string) error {
	index, count, ok := strings.Cut(text, "/")
	i, err := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	switch {
	case !ok || err != nil || err2 != nil || n < 1 || i < 0:
		return fmt.Errorf("write index/count, like 0/8 for the first of 8 shards")
	case i >= n:
		return fmt.Errorf("shards count from 0: those of %d are 0/%d to %d/%d; a Slurm array has to be --array=0-%d", n, n, n-1, n, n-1)
	}
	*s = Shard{i, n}
	return nil
}

// Type names the flag's value in the help.
func (s *Shard) Type() string { return "index/count" }

// Work lists the distinct cells of a study in planning order, the largest
// first, since a long plan at the end would leave cores idle. Shards are dealt
// cells from that list back and forth, so that they get about the same work.
func (s *Study) Work(p Program, shard Shard) []*Cell {
	var all []*Cell
	seen := map[string]bool{}
	keys := map[*Cell]string{}
	for i := range s.Sweeps {
		cells := s.Cells(&s.Sweeps[i])
		for k := range cells {
			key := cells[k].Key(p)
			if !seen[key] {
				seen[key] = true
				keys[&cells[k]] = key
				all = append(all, &cells[k])
			}
		}
	}
	slices.SortFunc(all, func(a, b *Cell) int {
		return cmp.Or(cmp.Compare(b.weight(), a.weight()), cmp.Compare(keys[a], keys[b]))
	})
	if shard.Count <= 1 {
		return all
	}
	var mine []*Cell
	for i, c := range all {
		round, at := i/shard.Count, i%shard.Count
		if round%2 == 1 {
			at = shard.Count - 1 - at
		}
		if at == shard.Index {
			mine = append(mine, c)
		}
	}
	return mine
}
