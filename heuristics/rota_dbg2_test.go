package heuristics

import (
	"fmt"
	"os"
	"testing"

	"jigsaw/formulation/instance"
)

func TestJobsDebug(t *testing.T) {
	data, _ := os.ReadFile(os.Getenv("INST"))
	doc, _ := instance.Decode(data)
	in, err := instance.Compile(doc.Spec, nil)
	if err != nil { t.Fatal(err) }
	for j := range in.Jobs {
		job := &in.Jobs[j]
		m := multisets(job, fastestType(in, job))
		fmt.Println(job.Name, "k", job.Workers, "w", job.Weight, "times", job.On[0].Time, "sets", m, "fixed", job.Rule.Fixed, "minfull", job.Rule.MinFull, "share", job.Rule.MinShare, "sync in node", lightSync(in, instance.JobID(j), m[0]), "gang", job.Gang, "within", job.Within,"sync 2 nodes", in.SyncTicks(job.Volume(m[0], 2), in.Links[in.Nodes[0].Up].Capacity))
	}
}
