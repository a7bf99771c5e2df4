package instance

import (
	"bytes"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawSpec makes a spec with any field set to anything a file can say,
// sensible or not.
func drawSpec(t *rapid.T) *Spec {
	name := rapid.OneOf(
		rapid.StringMatching(`[a-z][a-z0-9-]{0,8}`),
		rapid.SampledFrom([]string{"", "yes", "null", "~", "007", "1e3", "0x10", "2024-01-01", "<<", "-", "a: b", "# c", " x ", "\t", "a\nb\n", "\"", "'", "é", "\u0085", "\u2028", "\uFEFFx", "{", "*a", "&a", "!a", "%", "@", "|", "true", ".inf"}),
		rapid.String(),
	)
	valid := rapid.Map(name, func(s string) string { return string(bytes.ToValidUTF8([]byte(s), nil)) })
	small := rapid.IntRange(-3, 5)
	size := rapid.Map(rapid.Int64Range(0, maxQuantity), func(v int64) Bytes { return Bytes(v >> (v % 50)) })
	rate := rapid.Map(size, func(b Bytes) BitRate { return BitRate(b) })
	duration := rapid.Map(size, func(b Bytes) Duration { return Duration(b) })
	ratio := rapid.Map(size, func(b Bytes) Ratio { return Ratio(b) })
	level := rapid.Map(rapid.IntRange(1, 2000), func(n int) RateLevel { return RateLevel(n) })
	names := rapid.SliceOfN(valid, 0, 2)

	s := &Spec{
		Version: Version, Name: valid.Draw(t, "name"), Lesson: valid.Draw(t, "lesson"), TickUS: rapid.Int64().Draw(t, "tick"),
		Objective: Objective(valid.Draw(t, "objective")), MaxPeriod: duration.Draw(t, "period"),
	}
	c := &s.Cluster
	c.Latency, c.FailedLinks = duration.Draw(t, "latency"), names.Draw(t, "failed")
	c.RateLevels = rapid.SliceOfN(level, 0, 3).Draw(t, "levels")
	for range small.Draw(t, "degraded") {
		c.DegradedLinks = map[string]Ratio{valid.Draw(t, "link"): ratio.Draw(t, "fraction"), valid.Draw(t, "link"): ratio.Draw(t, "fraction")}
		c.Policies = map[string]PolicySpec{valid.Draw(t, "policy"): {names.Draw(t, "pass"), names.Draw(t, "avoid"), names.Draw(t, "prefer")}}
	}
	for range small.Draw(t, "types") {
		g := GPUTypeSpec{Name: valid.Draw(t, "type"), Memory: size.Draw(t, "memory")}
		for range small.Draw(t, "as") {
			g.ProfiledAs = append(g.ProfiledAs, ProfiledAs{valid.Draw(t, "gpu"), ratio.Draw(t, "speed")})
		}
		c.GPUTypes = append(c.GPUTypes, g)
	}
	for range small.Draw(t, "racks") {
		c.Racks = append(c.Racks, RackSpec{small.Draw(t, "count"), small.Draw(t, "nodes"), small.Draw(t, "gpus"), valid.Draw(t, "gpu"),
			rate.Draw(t, "nic"), rate.Draw(t, "fabric"), rate.Draw(t, "uplink"), ratio.Draw(t, "over")})
	}
	for range small.Draw(t, "exceptions") {
		c.Exceptions = append(c.Exceptions, ExceptionSpec{valid.Draw(t, "node"), small.Draw(t, "gpus"), valid.Draw(t, "link"), rate.Draw(t, "rate")})
	}
	for range small.Draw(t, "switches") {
		c.Switches = append(c.Switches, SwitchSpec{valid.Draw(t, "switch"), names.Draw(t, "labels")})
		c.Nodes = append(c.Nodes, NodeSpec{valid.Draw(t, "node"), valid.Draw(t, "switch"), small.Draw(t, "gpus"), valid.Draw(t, "gpu"), rate.Draw(t, "nic"), rate.Draw(t, "fabric")})
		c.Links = append(c.Links, LinkSpec{valid.Draw(t, "link"), valid.Draw(t, "from"), valid.Draw(t, "to"), rate.Draw(t, "rate"), names.Draw(t, "labels")})
	}
	for range small.Draw(t, "profiles") {
		p := &Profile{Model: valid.Draw(t, "model"), GPU: valid.Draw(t, "gpu"), Batch: small.Draw(t, "batch"), Workspace: size.Draw(t, "workspace"),
			Precision: valid.Draw(t, "precision"), Estimated: valid.Draw(t, "estimated")}
		if rapid.Bool().Draw(t, "sourced") {
			p.Source = &Source{valid.Draw(t, "repository"), valid.Draw(t, "commit"), valid.Draw(t, "file"), valid.Draw(t, "licence"), valid.Draw(t, "note")}
		}
		for range small.Draw(t, "layers") {
			p.Layers = append(p.Layers, Layer{valid.Draw(t, "layer"), duration.Draw(t, "forward"), duration.Draw(t, "backward"), size.Draw(t, "parameters"), size.Draw(t, "activations"), size.Draw(t, "input"), size.Draw(t, "output"), rapid.Bool().Draw(t, "joined")})
		}
		s.Profiles = append(s.Profiles, p)
	}
	for range small.Draw(t, "jobs") {
		s.Jobs = append(s.Jobs, JobSpec{
			Name: valid.Draw(t, "job"), Disabled: rapid.Bool().Draw(t, "disabled"), Count: small.Draw(t, "count"), Model: valid.Draw(t, "model"), Batch: small.Draw(t, "batch"),
			Workers: small.Draw(t, "workers"), Iterations: small.Draw(t, "iterations"), Weight: rapid.Int64().Draw(t, "weight"),
			Release: duration.Draw(t, "release"), Deadline: duration.Draw(t, "deadline"), Optimizer: valid.Draw(t, "optimizer"),
			Accumulate: small.Draw(t, "accumulate"), Checkpointing: rapid.Bool().Draw(t, "checkpointing"), Sharding: valid.Draw(t, "sharding"),
			Gang:      rapid.Bool().Draw(t, "gang"),
			Placement: PlacementSpec{names.Draw(t, "gpu types"), valid.Draw(t, "within"), valid.Draw(t, "policy")},
			SPB: SPBSpec{valid.Draw(t, "rule"), small.Draw(t, "min full"), ratio.Draw(t, "mean"), valid.Draw(t, "measure"), small.Draw(t, "cuts"),
				rapid.SliceOfN(small, 0, 2).Draw(t, "depths")},
		})
	}
	return s
}

// withoutEmpty brings empty slices to the form that files decode to.
func withoutEmpty(s *Spec) *Spec {
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
func requireRoundTrip(t require.TestingT, spec *Spec) {
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
		JobSpec{Name: "007", Model: "four", Workers: 4, Iterations: 3, Release: 90e9},
		JobSpec{Name: "b", Model: "four", Workers: 2, SPB: SPBSpec{Rule: "free", MinMeanDepth: 600_000, Depths: []int{2, 4}}, Placement: PlacementSpec{GPUTypes: []string{"v100"}}},
	)
	spec.Cluster.RateLevels = []RateLevel{1, 2, 4}
	for name, encode := range map[string]func(io.Writer, *Spec) error{"encoded.yaml": EncodeYAML, "encoded.json": EncodeJSON} {
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
