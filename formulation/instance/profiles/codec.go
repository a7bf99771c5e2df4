package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// Version is the version of the profile file format.
const Version = 1

// envelope is a profile file: one of Profile and Profiles.
type envelope struct {
	Version  int                 `json:"version" yaml:"version"`
	Profile  *instance.Profile   `json:"profile" yaml:"profile,omitempty"`
	Profiles []*instance.Profile `json:"profiles" yaml:"profiles,omitempty"`
}

// Encode validates profiles and writes them as a profile file, one layer per line.
func Encode(w io.Writer, ps []*instance.Profile) error {
	if len(ps) == 0 {
		return errors.New("profiles: nothing to write")
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	put := func(v any) error {
		err := enc.Encode(v)
		if buf.Len() > 0 {
			buf.Truncate(buf.Len() - 1) // the line break that Encode adds
		}
		return err
	}
	fmt.Fprintf(&buf, `{"version":%d,"profiles":[`, Version)
	for i, p := range ps {
		if err := validate(p, fmt.Sprintf("profiles[%d].", i)); err != nil {
			return err
		}
		if i > 0 {
			buf.WriteByte(',')
		}
		// Layers come last, so that the head can be written without them.
		head := *p
		head.Layers = []instance.Layer{}
		buf.WriteByte('\n')
		if err := put(&head); err != nil {
			return err
		}
		buf.Truncate(buf.Len() - len("]}"))
		for k := range p.Layers {
			if k > 0 {
				buf.WriteByte(',')
			}
			buf.WriteByte('\n')
			if err := put(&p.Layers[k]); err != nil {
				return err
			}
		}
		buf.WriteString("]}")
	}
	buf.WriteString("]}\n")
	_, err := w.Write(buf.Bytes())
	return err
}

// Decode reads a profile file, YAML or JSON, and validates its profiles. It is as strict
// as [codec.Decode]; what is wrong with the form of a file comes back as
// [instance.Problems].
func Decode(r io.Reader) ([]*instance.Profile, error) {
	data, err := readAll(r, maxInput)
	if err != nil {
		return nil, err
	}
	var e envelope
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	// The JSON of what is shipped is read in a fraction of the time.
	err = dec.Decode(&e)
	if after := bytes.TrimSpace(data[dec.InputOffset():]); err != nil || e.Version != Version || len(after) > 0 {
		e = envelope{}
		if _, err := codec.DecodeFile(data, Version, &e); err != nil {
			return nil, err
		}
	}
	ps, one := e.Profiles, e.Profile != nil
	switch {
	case one && e.Profiles != nil:
		return nil, errors.New("profiles: both profile and profiles are given; keep one")
	case one:
		ps = []*instance.Profile{e.Profile}
	case len(ps) == 0:
		return nil, errors.New("profiles: the file has no profile")
	}
	for i, p := range ps {
		path := fmt.Sprintf("profiles[%d].", i)
		if one {
			path = "profile."
		}
		if err := validate(p, path); err != nil {
			return nil, err
		}
	}
	return ps, nil
}
