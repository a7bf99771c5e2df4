package jigsaw

import (
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
)

// Load decodes an instance file, YAML or JSON, and compiles it. Models that
// the file has no profile for are looked up among extra, then in the profile
// library that is built in. Mistakes in the file come back together as
// [instance.Problems].
func Load(data []byte, extra ...*instance.Profile) (*instance.Instance, error) {
	document, err := codec.Decode(data)
	if err != nil {
		return nil, err
	}
	models, err := Models(extra...)
	if err != nil {
		return nil, err
	}
	return document.Compile(models)
}

// Models is [Profiles] for who asks for single models only.
func Models(extra ...*instance.Profile) (instance.ProfileSource, error) {
	if len(extra) == 0 {
		return profiles.Shipped(), nil
	}
	return Profiles(extra...)
}

// Profiles returns the built-in profile library with extra profiles added.
func Profiles(extra ...*instance.Profile) (*profiles.Library, error) {
	library, err := profiles.Builtin()
	if err != nil || len(extra) == 0 {
		return library, err
	}
	return library.With(extra...)
}
