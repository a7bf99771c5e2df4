package bench

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// WriteFiles writes the row's instance into the folder, as <row>.yaml, and the
// schedule that attains its optimum, if that is known, as <row>.schedule.json.
func WriteFiles(folder string, row Row) error {
	c, err := Generate(row)
	if err != nil {
		return err
	}
	base := filepath.Join(folder, row.String())
	if err := writeSpec(base+".yaml", c.Spec, codec.EncodeYAML); err != nil {
		return err
	}
	if c.Witness == nil {
		return nil
	}
	return create(base+".schedule.json", func(w io.Writer) error { return codec.EncodeSchedule(w, c.Instance, c.Witness) })
}

func writeSpec(name string, spec *instance.Spec, encode func(io.Writer, *instance.Spec) error) error {
	return create(name, func(w io.Writer) error { return encode(w, spec) })
}

func create(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
