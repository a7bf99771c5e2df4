package jigsaw_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// An instance that a program makes: compiled, planned, its schedule checked by rules that no
// planner shares, and its bound proven from the certificate alone.
func Example() {
	spec := &instance.Spec{
		Version: instance.Version,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 16 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 2, GPU: "v100", NIC: 25e9, Fabric: 100e9}},
		},
		Jobs: []instance.JobSpec{
			{Name: "vision", Model: "resnet50", Workers: 2, Iterations: 6, SPB: instance.SPBSpec{Rule: "ladder"}},
			{Name: "speech", Model: "alexnet", Workers: 4, Iterations: 3},
		},
	}
	library, err := jigsaw.Models()
	if err != nil {
		log.Fatal(err)
	}
	in, err := instance.Compile(spec, library)
	if err != nil {
		log.Fatal(err) // every mistake, with its path
	}
	result, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, violation := range check.Schedule(in, result.Schedule) {
		log.Fatal(violation)
	}
	bound, err := jigsaw.Certify(context.Background(), in, result.Proof)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, jigsaw.FormatValue(in, result.Primal), "and none below", jigsaw.FormatValue(in, bound.Value))
	// Output:
	// optimal 2.718 s and none below 2.718 s
}

// night is an instance: two jobs that share one node of four GPUs.
const night = `
version: 1
name: night
objective: makespan
cluster:
  gpu_types:
    - {name: v100, memory: 32GiB}
  racks:
    - {nodes: 1, gpus: 4, gpu: v100, nic: 25Gbit/s, fabric: 100Gbit/s}
jobs:
  - {name: vision, model: resnet50, workers: 4, iterations: 12}
  - {name: speech, model: alexnet, workers: 2, iterations: 6}
`

// A plan, and how far it can be from the best one.
func ExamplePlan() {
	in, err := jigsaw.Load([]byte(night))
	if err != nil {
		log.Fatal(err) // every mistake in the file, with its line
	}
	result, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Time: time.Minute, Gap: 0.01})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, jigsaw.FormatValue(in, result.Primal))
	for j, end := range result.Schedule.Completion(in) {
		fmt.Printf("%s ends after %v\n", in.Jobs[j].Name, time.Duration(int64(end)*in.TickUS)*time.Microsecond)
	}
	// Output:
	// optimal 5.484 s
	// vision ends after 5.484s
	// speech ends after 1.419s
}

// The proof of a bound outlives the run that found it.
func ExampleCertify() {
	in, err := jigsaw.Load([]byte(night))
	if err != nil {
		log.Fatal(err)
	}
	result, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := jigsaw.EncodeCertificate(&file, result.Proof); err != nil {
		log.Fatal(err)
	}

	// On another machine, long after: no linear program, no floating-point number.
	proof, err := jigsaw.DecodeCertificate(in, &file)
	if err != nil {
		log.Fatal(err)
	}
	bound, err := jigsaw.Certify(context.Background(), in, proof)
	if err != nil {
		log.Fatal(err) // the proof does not hold
	}
	fmt.Println("no schedule ends before", jigsaw.FormatValue(in, bound.Value))
	// Output:
	// no schedule ends before 5.484 s
}
