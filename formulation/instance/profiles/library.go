package profiles

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"sync"

	"jigsaw/formulation/instance"
)

//go:embed library/*.json
var library embed.FS

// Library is a set of profiles, at most one for each model, GPU type and batch
// size. It is immutable and safe for concurrent use; its profiles are shared
// and must not be changed. It is an [instance.ProfileSource].
type Library struct {
	sorted []*instance.Profile // by model, GPU type, batch size
}

var _ instance.ProfileSource = (*Library)(nil)

// Builtin returns the shipped library. It is decoded at the first call.
func Builtin() (*Library, error) { return builtin() }

var builtin = sync.OnceValues(func() (*Library, error) {
	files, err := shipped()
	if err != nil {
		return nil, err
	}
	var all []*instance.Profile
	for _, f := range files {
		ps, err := f.profiles()
		if err != nil {
			return nil, err
		}
		all = append(all, ps...)
	}
	return New(all...)
})

// New makes a library. Two profiles with the same model, GPU type and batch
// size are an error.
func New(ps ...*instance.Profile) (*Library, error) {
	return (&Library{}).With(ps...)
}

// With returns a library that has ps besides the profiles of l, or in place of those of l
// for the same model, GPU type and batch size. Two such in ps are an error.
func (l *Library) With(ps ...*instance.Profile) (*Library, error) {
	for i, p := range ps {
		if err := validate(p, fmt.Sprintf("profiles[%d].", i)); err != nil {
			return nil, err
		}
	}
	more := slices.Clone(ps)
	slices.SortStableFunc(more, compare)
	for i := 1; i < len(more); i++ {
		if p := more[i]; compare(more[i-1], p) == 0 {
			return nil, fmt.Errorf("profiles: two profiles of %s on %s at batch %d, from %s and from %s; rename or remove one",
				p.Model, p.GPU, p.Batch, origin(more[i-1]), origin(p))
		}
	}
	kept := slices.DeleteFunc(slices.Clone(l.sorted), func(p *instance.Profile) bool {
		_, replaced := slices.BinarySearchFunc(more, p, compare)
		return replaced
	})
	sorted := slices.Concat(kept, more)
	slices.SortFunc(sorted, compare)
	return &Library{sorted}, nil
}

func compare(a, b *instance.Profile) int {
	return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.GPU, b.GPU), cmp.Compare(a.Batch, b.Batch), cmp.Compare(a.Group(), b.Group()))
}

// All returns the profiles by model, GPU type and batch size.
func (l *Library) All() []*instance.Profile { return slices.Clone(l.sorted) }

// Profiles returns the profiles of a model, by GPU type and batch size; none if
// the model is unknown.
func (l *Library) Profiles(model string) []*instance.Profile {
	byModel := func(p *instance.Profile, m string) int { return cmp.Compare(p.Model, m) }
	from, _ := slices.BinarySearchFunc(l.sorted, model, byModel)
	to := from
	for to < len(l.sorted) && l.sorted[to].Model == model {
		to++
	}
	return slices.Clone(l.sorted[from:to])
}

// Models returns the names of all models, in order.
func (l *Library) Models() []string {
	var names []string
	for _, p := range l.sorted {
		if len(names) == 0 || names[len(names)-1] != p.Model {
			names = append(names, p.Model)
		}
	}
	return names
}

// Find returns the profile of a model on a GPU type at a batch size, and
// whether there is one.
func (l *Library) Find(model, gpu string, batch int) (*instance.Profile, bool) {
	i, found := slices.BinarySearchFunc(l.sorted, &instance.Profile{Model: model, GPU: gpu, Batch: batch}, compare)
	if !found {
		return nil, false
	}
	return l.sorted[i], true
}

// origin names the source of a profile for people.
func origin(p *instance.Profile) string {
	s := p.Source
	switch {
	case p.Estimated != "":
		return "an estimate"
	case s == nil || s.Repository == "" && s.File == "":
		return "an unnamed source"
	case s.Repository == "":
		return s.File
	case s.Commit == "":
		return s.Repository
	}
	return s.Repository + "@" + s.Commit
}
