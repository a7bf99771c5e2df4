package codec

import (
	"bytes"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/formulation/instance"
)

func fourLayers() *instance.Profile {
	p := &instance.Profile{Model: "four", GPU: "v100", Batch: 32, Workspace: 10}
	for range 4 {
		p.Layers = append(p.Layers, instance.Layer{Name: "l", Forward: 1e6, Backward: 2e6, Parameters: 8e6, Activations: 1000})
	}
	return p
}

func twoNodes(jobs ...instance.JobSpec) *instance.Spec {
	return &instance.Spec{
		Version:  1,
		Profiles: []*instance.Profile{fourLayers()},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 2, GPUs: 2, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: jobs,
	}
}

// drawSpec makes a spec with any field set to anything a file can say,
// sensible or not.
func drawSpec(t *rapid.T) *instance.Spec {
	name := rapid.OneOf(
		rapid.StringMatching(`[a-z][a-z0-9-]{0,8}`),
		rapid.SampledFrom([]string{"", "yes", "null", "~", "007", "1e3", "0x10", "2024-01-01", "<<", "-", "a: b", "# c", " x ", "\t", "a\nb\n", "\"", "'", "é", "\u0085", "\u2028", "\uFEFFx", "{", "*a", "&a", "!a", "%", "@", "|", "true", ".inf"}),
		rapid.String(),
	)
	valid := rapid.Map(name, func(s string) string { return string(bytes.ToValidUTF8([]byte(s), nil)) })
	small := rapid.IntRange(-3, 5)
	size := rapid.Map(rapid.Int64Range(0, instance.MaxQuantity), func(v int64) instance.Bytes { return instance.Bytes(v >> (v % 50)) })
	rate := rapid.Map(size, func(b instance.Bytes) instance.BitRate { return instance.BitRate(b) })
	duration := rapid.Map(size, func(b instance.Bytes) instance.Duration { return instance.Duration(b) })
	ratio := rapid.Map(size, func(b instance.Bytes) instance.Ratio { return instance.Ratio(b) })
	level := rapid.Map(rapid.IntRange(1, 2000), func(n int) instance.RateLevel { return instance.RateLevel(n) })
	names := rapid.SliceOfN(valid, 0, 2)

	s := &instance.Spec{
		Version: instance.Version, Name: valid.Draw(t, "name"), Lesson: valid.Draw(t, "lesson"), TickUS: rapid.Int64().Draw(t, "tick"),
		Objective: instance.Objective(valid.Draw(t, "objective")), MaxPeriod: duration.Draw(t, "period"),
	}
	c := &s.Cluster
	c.Latency, c.FailedLinks = duration.Draw(t, "latency"), names.Draw(t, "failed")
	c.RateLevels = rapid.SliceOfN(level, 0, 3).Draw(t, "levels")
	for range small.Draw(t, "degraded") {
		c.DegradedLinks = map[string]instance.Ratio{valid.Draw(t, "link"): ratio.Draw(t, "fraction"), valid.Draw(t, "link"): ratio.Draw(t, "fraction")}
		c.Policies = map[string]instance.PolicySpec{valid.Draw(t, "policy"): {MustPass: names.Draw(t, "pass"), Avoid: names.Draw(t, "avoid"), Prefer: names.Draw(t, "prefer")}}
	}
	for range small.Draw(t, "types") {
		g := instance.GPUTypeSpec{Name: valid.Draw(t, "type"), Memory: size.Draw(t, "memory")}
		for range small.Draw(t, "as") {
			g.ProfiledAs = append(g.ProfiledAs, instance.ProfiledAs{GPU: valid.Draw(t, "gpu"), Speed: ratio.Draw(t, "speed")})
		}
		c.GPUTypes = append(c.GPUTypes, g)
	}
	for range small.Draw(t, "racks") {
		c.Racks = append(c.Racks, instance.RackSpec{Count: small.Draw(t, "count"), Nodes: small.Draw(t, "nodes"), GPUs: small.Draw(t, "gpus"), GPU: valid.Draw(t, "gpu"),
			NIC: rate.Draw(t, "nic"), Fabric: rate.Draw(t, "fabric"), Uplink: rate.Draw(t, "uplink"), Oversubscription: ratio.Draw(t, "over")})
	}
	for range small.Draw(t, "exceptions") {
		c.Exceptions = append(c.Exceptions, instance.ExceptionSpec{Node: valid.Draw(t, "node"), GPUs: small.Draw(t, "gpus"), Link: valid.Draw(t, "link"), Rate: rate.Draw(t, "rate")})
	}
	for range small.Draw(t, "switches") {
		c.Switches = append(c.Switches, instance.SwitchSpec{Name: valid.Draw(t, "switch"), Labels: names.Draw(t, "labels")})
		c.Nodes = append(c.Nodes, instance.NodeSpec{Name: valid.Draw(t, "node"), Switch: valid.Draw(t, "switch"), GPUs: small.Draw(t, "gpus"), GPU: valid.Draw(t, "gpu"), NIC: rate.Draw(t, "nic"), Fabric: rate.Draw(t, "fabric")})
		c.Links = append(c.Links, instance.LinkSpec{Name: valid.Draw(t, "link"), From: valid.Draw(t, "from"), To: valid.Draw(t, "to"), Rate: rate.Draw(t, "rate"), Labels: names.Draw(t, "labels")})
	}
	for range small.Draw(t, "profiles") {
		p := &instance.Profile{Model: valid.Draw(t, "model"), GPU: valid.Draw(t, "gpu"), Batch: small.Draw(t, "batch"), Workspace: size.Draw(t, "workspace"),
			Precision: valid.Draw(t, "precision"), Estimated: valid.Draw(t, "estimated")}
		if rapid.Bool().Draw(t, "sourced") {
			p.Source = &instance.Source{Repository: valid.Draw(t, "repository"), Commit: valid.Draw(t, "commit"), File: valid.Draw(t, "file"), Licence: valid.Draw(t, "licence"), Note: valid.Draw(t, "note")}
		}
		for range small.Draw(t, "layers") {
			p.Layers = append(p.Layers, instance.Layer{Name: valid.Draw(t, "layer"), Forward: duration.Draw(t, "forward"), Backward: duration.Draw(t, "backward"), Parameters: size.Draw(t, "parameters"), Activations: size.Draw(t, "activations"), Input: size.Draw(t, "input"), Output: size.Draw(t, "output"), Workspace: size.Draw(t, "space"), Joined: rapid.Bool().Draw(t, "joined")})
		}
		s.Profiles = append(s.Profiles, p)
	}
	for range small.Draw(t, "jobs") {
		s.Jobs = append(s.Jobs, instance.JobSpec{
			Name: valid.Draw(t, "job"), Disabled: rapid.Bool().Draw(t, "disabled"), Count: small.Draw(t, "count"), Model: valid.Draw(t, "model"), Batch: small.Draw(t, "batch"),
			Workers: small.Draw(t, "workers"), GPUsPerWorker: small.Draw(t, "gpus per worker"), Iterations: small.Draw(t, "iterations"), Weight: rapid.Int64().Draw(t, "weight"),
			Release: duration.Draw(t, "release"), Deadline: duration.Draw(t, "deadline"), Optimizer: valid.Draw(t, "optimizer"),
			Accumulate: small.Draw(t, "accumulate"), Checkpointing: rapid.Bool().Draw(t, "checkpointing"), Sharding: valid.Draw(t, "sharding"),
			Gang:      rapid.Bool().Draw(t, "gang"),
			Placement: instance.PlacementSpec{GPUTypes: names.Draw(t, "gpu types"), Within: valid.Draw(t, "within"), Policy: valid.Draw(t, "policy")},
			SPB: instance.SPBSpec{Rule: valid.Draw(t, "rule"), MinFull: small.Draw(t, "min full"), MinMeanDepth: ratio.Draw(t, "mean"), Measure: valid.Draw(t, "measure"), Cuts: small.Draw(t, "cuts"),
				Depths: rapid.SliceOfN(small, 0, 2).Draw(t, "depths")},
		})
	}
	return s
}

// withoutEmpty brings empty slices to the form that files decode to.
func withoutEmpty(s *instance.Spec) *instance.Spec {
	if len(s.Cluster.FailedLinks) == 0 {
		s.Cluster.FailedLinks = nil
	}
	if len(s.Cluster.RateLevels) == 0 {
		s.Cluster.RateLevels = nil
	}
	none := func(list *[]string) {
		if len(*list) == 0 {
			*list = nil
		}
	}
	for i := range s.Cluster.Switches {
		none(&s.Cluster.Switches[i].Labels)
		none(&s.Cluster.Links[i].Labels)
	}
	for name, p := range s.Cluster.Policies {
		none(&p.MustPass)
		none(&p.Avoid)
		none(&p.Prefer)
		s.Cluster.Policies[name] = p
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if len(j.Placement.GPUTypes) == 0 {
			j.Placement.GPUTypes = nil
		}
		if len(j.SPB.Depths) == 0 {
			j.SPB.Depths = nil
		}
	}
	return s
}

func TestDecodeEncodeIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := withoutEmpty(drawSpec(t))
		requireRoundTrip(t, spec)
	})
}

// requireRoundTrip checks decode(encode(spec)) = spec in both formats.
func requireRoundTrip(t require.TestingT, spec *instance.Spec) {
	var y, j bytes.Buffer
	require.NoError(t, EncodeYAML(&y, spec))
	require.NoError(t, EncodeJSON(&j, spec))
	for _, b := range []*bytes.Buffer{&y, &j} {
		d, err := Decode(b.Bytes())
		require.NoError(t, err, "%s", b)
		require.Equal(t, spec, d.Spec, "%s", b)
	}
}

func TestEncodeForPeople(t *testing.T) {
	spec := twoNodes(
		instance.JobSpec{Name: "007", Model: "four", Workers: 4, Iterations: 3, Release: 90e9},
		instance.JobSpec{Name: "b", Model: "four", Workers: 2, SPB: instance.SPBSpec{Rule: "free", MinMeanDepth: 600_000, Depths: []int{2, 4}}, Placement: instance.PlacementSpec{GPUTypes: []string{"v100"}}},
	)
	spec.Cluster.RateLevels = []instance.RateLevel{1, 2, 4}
	for name, encode := range map[string]func(io.Writer, *instance.Spec) error{"encoded.yaml": EncodeYAML, "encoded.json": EncodeJSON} {
		var b bytes.Buffer
		require.NoError(t, encode(&b, spec))
		golden(t, "testdata/"+name, b.Bytes())
	}
}

var update = flag.Bool("update", false, "rewrite golden files and schemas")

// golden compares got with a file, or rewrites the file.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go test -run %s -update rewrites it", t.Name())
}
