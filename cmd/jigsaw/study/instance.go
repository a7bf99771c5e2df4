package study

import (
	"errors"
	"fmt"
	"strings"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance/codec"
	"jigsaw/study/sweep"
)

func runStudyInstance(name, key string, std cli.Streams) (err error) {
	db, study, err := openStudy(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	held, _, err := db.Study()
	if err != nil {
		return err
	}
	program := sweep.Program{Planner: held.Planner, Engine: held.Engine}
	var found []*sweep.Cell
	for _, c := range study.Work(program, sweep.Shard{}) {
		if strings.HasPrefix(c.Key(program), key) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return cli.Usage(fmt.Errorf("%s of %s have a key that begins with %q; the column key of jigsaw study export has them all", cli.Count(len(found), "cell"), name, key))
	}
	c := found[0]
	spec, err := c.Spec(study.Library())
	if err != nil {
		return err
	}
	spec.Profiles = study.Profiles
	if _, err := fmt.Fprintf(std.Out, "# jigsaw plan FILE %s\n", c.Method.Flags(c.Seed)); err != nil {
		return err
	}
	return codec.EncodeYAML(std.Out, spec)
}
