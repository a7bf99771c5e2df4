package profiles

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/formulation/instance"
)

func drawProfile(t *rapid.T) *instance.Profile {
	name := rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,20}`)
	figure := rapid.Int64Range(0, maxQuantity/64)
	p := &instance.Profile{
		Model:     name.Draw(t, "model"),
		GPU:       name.Draw(t, "gpu"),
		Batch:     rapid.IntRange(1, instance.MaxBatch).Draw(t, "batch"),
		Workspace: instance.Bytes(figure.Draw(t, "workspace")),
		Layers:    []instance.Layer{{Name: "first", Forward: 1}},
	}
	if rapid.Bool().Draw(t, "sourced") {
		p.Source = &instance.Source{Repository: rapid.String().Draw(t, "repository"), Note: "a <note> & more"}
	}
	for range rapid.IntRange(0, 20).Draw(t, "layers") {
		p.Layers = append(p.Layers, instance.Layer{
			Name:        rapid.StringMatching(`[a-z<&>é][a-z<&>é ]{0,19}`).Draw(t, "name"),
			Forward:     instance.Duration(figure.Draw(t, "forward")),
			Backward:    instance.Duration(figure.Draw(t, "backward")),
			Parameters:  instance.Bytes(figure.Draw(t, "parameters")),
			Activations: instance.Bytes(figure.Draw(t, "activations")),
			Workspace:   instance.Bytes(rapid.Int64Range(0, int64(p.Workspace)).Draw(t, "space")),
			Joined:      rapid.Bool().Draw(t, "joined"),
		})
	}
	return p
}

// TestEncodeDecode: decode(encode(x)) = x.
func TestEncodeDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.Custom(drawProfile), 1, 3).Draw(t, "profiles")
		var buf bytes.Buffer
		if err := Encode(&buf, want); err != nil {
			t.Fatal(err)
		}
		got, err := Decode(&buf)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, want, got)
	})
}

func TestEncodeGolden(t *testing.T) {
	p := tiny("m", "g", 8)
	p.Layers = append(p.Layers, instance.Layer{Name: "a<b", Forward: 1_500_000, Backward: 3_000_000, Parameters: 4096, Activations: 1000, Joined: true})
	var buf bytes.Buffer
	require.NoError(t, Encode(&buf, []*instance.Profile{p}))
	assert.Equal(t, `{"version":1,"profiles":[
{"model":"m","gpu":"g","batch":8,"layers":[
{"name":"only","forward":"1ns","backward":"2ns"},
{"name":"a<b","forward":"1.5ms","backward":"3ms","parameters":"4KiB","activations":"1kB","joined":true}]}]}
`, buf.String())
	assert.Error(t, Encode(&buf, nil))
	assert.ErrorContains(t, Encode(&buf, []*instance.Profile{{}}), "profiles[0].model")
}

func TestDecodeOne(t *testing.T) {
	ps, err := Decode(strings.NewReader(`{"version":1,"profile":{"model":"m","gpu":"g","batch":1,"layers":[{"name":"l","forward":"1ms","backward":"2ms"}]}}`))
	require.NoError(t, err)
	require.Len(t, ps, 1)
	assert.Equal(t, instance.Duration(2e6), ps[0].Layers[0].Backward)
}

func TestDecodeYAML(t *testing.T) {
	ps, err := Decode(strings.NewReader("version: 1\nprofiles:\n- {model: m, gpu: g, batch: 1, layers: [{name: l, forward: 1ms, backward: 2ms}]}\n"))
	require.NoError(t, err)
	require.Len(t, ps, 1)
	assert.Equal(t, instance.Duration(2e6), ps[0].Layers[0].Backward)
}

func TestDecodeErrors(t *testing.T) {
	layer := `{"name":"l","forward":"1ms","backward":"2ms"}`
	profile := `{"model":"m","gpu":"g","batch":1,"layers":[` + layer + `]}`
	for _, tt := range []struct{ name, in, want string }{
		{"empty", ``, "the file is empty"},
		{"not JSON", "{\n\"version\":1,\n!", "line 3, column 1: invalid JSON: invalid character"},
		{"no version", `{"profiles":[]}`, `the field "version" is missing; add version: 1`},
		{"other version", `{"version":2,"model":"m"}`, "version 2 is not supported; this program reads version: 1"},
		{"nothing", `{"version":1}`, "no profile"},
		{"both", `{"version":1,"profile":` + profile + `,"profiles":[` + profile + `]}`, "keep one"},
		{"null", `{"version":1,"profiles":[null]}`, "profiles[0].profile is missing"},
		{"text after", `{"version":1,"profile":` + profile + `} {}`, "found { instead of the end of the file"},
		{"unknown field", `{"version":1,"profile":{"model":"m","speed":1}}`, `unknown field "speed"`},
		{"unknown layer field", `{"version":1,"profile":` + strings.Replace(profile, "backward", "backwards", 1) + `}`, `unknown field "backwards"`},
		{"no layers", `{"version":1,"profile":{"model":"m","gpu":"g","batch":1,"layers":[]}}`, "profile.layers: a profile needs 1 to 100000 layers, not 0"},
		{"batch", `{"version":1,"profile":` + strings.Replace(profile, `"batch":1`, `"batch":0`, 1) + `}`, "profile.batch: the batch size is 0; choose 1 to"},
		{"names", `{"version":1,"profiles":[{"model":"a b","gpu":"","batch":1,"layers":[` + layer + `]}]}`, "profiles[0].gpu: \"\""},
		{"layer name", `{"version":1,"profile":` + strings.Replace(profile, `"name":"l"`, `"name":"\u0007"`, 1) + `}`, "layers[0].name"},
		{"negative time", `{"version":1,"profile":` + strings.Replace(profile, "1ms", "-1ms", 1) + `}`, "is negative"},
		{"no time", `{"version":1,"profile":{"model":"m","gpu":"g","batch":1,"layers":[{"name":"l","forward":"0s","backward":"0s"}]}}`, "no layer takes any time"},
		{"time too large", `{"version":1,"profile":` + strings.Replace(profile, "1ms", "100000000h", 1) + `}`, "duration"},
		{"layer's workspace", `{"version":1,"profile":` + strings.Replace(profile, `"name":"l"`, `"name":"l","workspace":1`, 1) + `}`, "layers[0].workspace: 1 is not between 0 and the profile's workspace, 0"},
		{"sum too large", `{"version":1,"profile":{"model":"m","gpu":"g","batch":1,"layers":[` + strings.Repeat(`{"name":"l","forward":"15000h","backward":"1ms"},`, 2) + layer + `]}}`, "the sum of forward is above 2^56"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Decode(strings.NewReader(tt.in))
			require.Error(t, err)
			assert.ErrorContains(t, err, tt.want)
			var form instance.Problems
			if !errors.As(err, &form) { // which knows lines and columns, and has no prefix
				assert.True(t, strings.HasPrefix(err.Error(), "profiles: "), err.Error())
				assert.Equal(t, 1, strings.Count(strings.SplitN(err.Error(), "\n", 2)[0], "profiles: "), err.Error())
			}
		})
	}
}

func TestReadAll(t *testing.T) {
	data, err := readAll(strings.NewReader("1234"), 4)
	assert.NoError(t, err)
	assert.Equal(t, "1234", string(data))
	_, err = readAll(strings.NewReader("12345"), 4)
	assert.EqualError(t, err, "profiles: the file is larger than 4 bytes")
}
