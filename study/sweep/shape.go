package sweep

import (
	"fmt"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// Shape is a cluster of identical racks of identical nodes under one core. In
// files it is racks x nodes x GPUs: "2x4x8" has 64 GPUs.
type Shape struct{ Racks, Nodes, GPUs int }

// maxShapeGPUs bounds a shape.
const maxShapeGPUs = 100_000

// UnmarshalText reads "2x4x8".
func (s *Shape) UnmarshalText(text []byte) error {
	parts := strings.Split(string(text), "x")
	if len(parts) != 3 {
		return s.wrong(text)
	}
	for i, to := range []*int{&s.Racks, &s.Nodes, &s.GPUs} {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n < 1 || n > maxShapeGPUs || strconv.Itoa(n) != parts[i] {
			return s.wrong(text)
		}
		*to = n
	}
	if s.Total() > maxShapeGPUs {
		return fmt.Errorf("%v has more than %d GPUs", s, maxShapeGPUs)
	}
	return nil
}

func (s *Shape) wrong(text []byte) error {
	return fmt.Errorf(`%q is not a cluster; write racks x nodes x GPUs, like "2x4x8"`, instance.Clip(string(text)))
}

// MarshalText writes "2x4x8".
func (s Shape) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s Shape) String() string { return fmt.Sprintf("%dx%dx%d", s.Racks, s.Nodes, s.GPUs) }

// Total is the number of GPUs.
func (s Shape) Total() int { return s.Racks * s.Nodes * s.GPUs }
