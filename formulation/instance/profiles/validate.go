package profiles

import (
	"errors"
	"fmt"

	"jigsaw/formulation/instance"
)

// validate reports what is wrong with a profile, all problems joined. Path
// leads to the profile, such as "profiles[2].".
func validate(p *instance.Profile, path string) error {
	if p == nil {
		return fmt.Errorf("profiles: %sprofile is missing", path)
	}
	var errs []error
	for _, problem := range p.Validate() {
		errs = append(errs, fmt.Errorf("profiles: %s%s: %s", path, problem.Path, problem.Message))
	}
	return errors.Join(errs...)
}
