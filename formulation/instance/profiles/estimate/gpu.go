package estimate

import (
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// Precision is the format that products are worked out in. Weights, gradients and
// activations have the same, but for TF32, which reads and writes 32 bit.
type Precision string

// The precisions.
const (
	FP32 Precision = "fp32" // without tensor cores
	TF32 Precision = "tf32"
	FP16 Precision = "fp16"
	BF16 Precision = "bf16"
)

// Precisions lists them.
func Precisions() []Precision { return []Precision{FP32, TF32, FP16, BF16} }

// width is how many bytes a number takes.
func (p Precision) width() int64 {
	if p == FP16 || p == BF16 {
		return 2
	}
	return 4
}

// GPU is a GPU type by its data sheet.
type GPU struct {
	// Name as profiles call it.
	Name string `json:"name"`
	// Memory of one.
	Memory instance.Bytes `json:"memory"`
	// Bandwidth of the memory, GB/s.
	Bandwidth float64 `json:"bandwidth_gb_s"`
	// Fabric is what a GPU sends the others of its node, GB/s each way: half of what sheets give for both.
	Fabric float64 `json:"fabric_gb_s"`
	// Peak by precision, TFLOP/s without sparsity; what the GPU lacks is absent.
	Peak map[Precision]float64 `json:"peak_tflop_s"`
	// Sheet is the document that the figures are from.
	Sheet string `json:"sheet"`

	like string // the GPU that its tensor cores are taken to be as efficient as
}

// GPUs lists those known, by name. The peaks of tensor cores are halves of what the
// sheets of Ampere and later GPUs give with sparsity.
func GPUs() []GPU {
	const gib = 1 << 30
	return []GPU{
		{"a10", 24 * gib, 600, 32, map[Precision]float64{FP32: 31.2, TF32: 62.5, FP16: 125, BF16: 125}, "NVIDIA A10 data sheet, 2021", "a100"},
		{"a100", 80 * gib, 2039, 300, map[Precision]float64{FP32: 19.5, TF32: 156, FP16: 312, BF16: 312}, "NVIDIA A100 data sheet, 2021: SXM, 80 GB", "a100"},
		{"a100-40gb", 40 * gib, 1555, 300, map[Precision]float64{FP32: 19.5, TF32: 156, FP16: 312, BF16: 312}, "NVIDIA A100 data sheet, 2021: SXM, 40 GB", "a100"},
		{"h100", 80 * gib, 3350, 450, map[Precision]float64{FP32: 66.9, TF32: 494.7, FP16: 989.4, BF16: 989.4}, "NVIDIA H100 Tensor Core GPU Architecture, 2023: SXM5", "h100"},
		{"h200", 141 * 1e9, 4800, 450, map[Precision]float64{FP32: 66.9, TF32: 494.7, FP16: 989.4, BF16: 989.4}, "NVIDIA H200 data sheet, 2024: SXM", "h100"},
		{"l4", 24 * gib, 300, 32, map[Precision]float64{FP32: 30.3, TF32: 60, FP16: 121, BF16: 121}, "NVIDIA L4 data sheet, 2023", "a100"},
		{"l40s", 48 * gib, 864, 32, map[Precision]float64{FP32: 91.6, TF32: 183, FP16: 362.05, BF16: 362.05}, "NVIDIA L40S data sheet, 2023", "a100"},
		{"p100", 16 * gib, 732, 80, map[Precision]float64{FP32: 10.6, FP16: 21.2}, "NVIDIA Tesla P100 data sheet, 2016: SXM2, 16 GB", "v100"},
		{"t4", 16 * gib, 320, 16, map[Precision]float64{FP32: 8.1, FP16: 65}, "NVIDIA T4 data sheet, 2019", "a100"},
		{"v100", 32 * gib, 900, 150, map[Precision]float64{FP32: 15.7, FP16: 125}, "NVIDIA V100 data sheet, 2018: SXM2", "a100"},
	}
}

// FindGPU returns a known GPU; the error names those known.
func FindGPU(name string) (GPU, error) {
	all := GPUs()
	i := slices.IndexFunc(all, func(g GPU) bool { return g.Name == name })
	if i < 0 {
		var known []string
		for _, g := range all {
			known = append(known, g.Name)
		}
		return GPU{}, fmt.Errorf("estimate: GPU %q is not known; choose %s", instance.Clip(name), strings.Join(known, ", "))
	}
	return all[i], nil
}

// best is the precision that models are trained in on the GPU.
func (g GPU) best() Precision {
	for _, p := range []Precision{BF16, FP16} {
		if g.Peak[p] > 4*g.Peak[FP32] || p == BF16 && g.Peak[p] > 0 {
			return p
		}
	}
	return FP32
}

// peak in FLOP/s; the error names the precisions that the GPU has.
func (g GPU) peak(p Precision) (float64, error) {
	if v := g.Peak[p]; v > 0 {
		return v * 1e12, nil
	}
	var has []string
	for _, q := range Precisions() {
		if g.Peak[q] > 0 {
			has = append(has, string(q))
		}
	}
	return 0, fmt.Errorf("estimate: %s has no %q; choose %s", g.Name, instance.Clip(string(p)), strings.Join(has, ", "))
}

// Known returns the GPUs that the types of a cluster are profiled as, by name and once each: those
// that can be estimated for, and the others.
func Known(spec *instance.Spec) (known, missing []string) {
	for i := range spec.Cluster.GPUTypes {
		t := &spec.Cluster.GPUTypes[i]
		names := []string{t.Name}
		if len(t.ProfiledAs) > 0 {
			names = nil
			for _, as := range t.ProfiledAs {
				names = append(names, as.GPU)
			}
		}
		for _, name := range names {
			if _, err := FindGPU(name); err == nil {
				known = append(known, name)
			} else {
				missing = append(missing, name)
			}
		}
	}
	slices.Sort(known)
	slices.Sort(missing)
	return slices.Compact(known), slices.Compact(missing)
}
