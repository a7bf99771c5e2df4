package profiles

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"jigsaw/formulation/instance"
)

// shippedFile is a file of the shipped library. Its name is that of the model whose
// profiles it holds, or begins with that and "_".
type shippedFile struct {
	model    string
	profiles func() ([]*instance.Profile, error) // decoded at the first call
}

// shipped lists the files of the library in order of their names.
var shipped = sync.OnceValues(func() ([]shippedFile, error) {
	entries, err := library.ReadDir("library")
	if err != nil {
		return nil, fmt.Errorf("profiles: %w", err)
	}
	var files []shippedFile
	for _, e := range entries {
		decode := func() ([]*instance.Profile, error) {
			file, err := library.Open("library/" + e.Name())
			if err != nil {
				return nil, fmt.Errorf("profiles: %w", err)
			}
			defer file.Close()
			ps, err := Decode(file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.Name(), err)
			}
			return ps, nil
		}
		files = append(files, shippedFile{strings.TrimSuffix(e.Name(), ".json"), sync.OnceValues(decode)})
	}
	return files, nil
})

// Shipped returns the profiles of [Builtin] as a source that decodes those of a
// model when it is asked for them: of a few models in a fraction of the time.
func Shipped() instance.ProfileSource { return byModel{} }

type byModel struct{}

func (byModel) Profiles(model string) []*instance.Profile {
	files, err := shipped()
	var found []*instance.Profile
	for _, f := range files {
		if f.model != model && !strings.HasPrefix(f.model, model+"_") {
			continue
		}
		ps, e := f.profiles()
		if err = e; err != nil {
			break
		}
		for _, p := range ps {
			if p.Model == model {
				found = append(found, p)
			}
		}
	}
	if err != nil {
		panic(err) // what is shipped is tested
	}
	slices.SortFunc(found, compare)
	return found
}

func (byModel) Models() []string {
	library, err := Builtin()
	if err != nil {
		panic(err) // what is shipped is tested
	}
	return library.Models()
}
