package jigsaw

import (
	"errors"

	"jigsaw/formulation/instance"
)

// beyond is the error of what does not model long plans: where jobs hold memory only while they
// run, or where the plan has too many tasks to be written out. nil for other instances.
func beyond(in *instance.Instance, what string) error {
	switch {
	case in.Queues():
		return errors.New("jigsaw: " + what + ": not where jobs hold memory only while they run; with residence: plan they hold it all the time")
	case in.Long():
		return errors.New("jigsaw: " + what + ": not for plans of so many tasks; with fewer iterations they can be written out")
	}
	return nil
}
