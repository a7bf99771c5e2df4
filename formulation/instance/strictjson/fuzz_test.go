package strictjson_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance/strictjson"
)

// FuzzJSON holds our reader to the grammar of encoding/json as a whole, and
// every position to the file.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"version": 1, "cluster": {"racks": [{"nodes": 2, "nic": "10Gbit/s"}]}, "jobs": [{"name": "a"}]}`, `[1, -0.5e+3, "\u00e9\ud83d\ude00\ud800\\\/", true, false, null, {}, []]`, "{\"\u00e9 \U0001F600\": \"\u00e9\" ,\r\n\t\"b\":2}\n", "01", "1.", "-", "1e", `"`, "\"\t\"", "{\"a\" 1}", "[,]", "[1,]", "nul", "1 2", "0\x00", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if !utf8.Valid(file) {
			return
		}
		j := strictjson.NewReader(iotest.HalfReader(bytes.NewReader(file)))
		var value func(first json.Token) error
		value = func(first json.Token) error {
			rest := from(file, j.At)
			require.True(t, bytes.HasPrefix(rest, j.Raw), "%v: %q, not %q", j.At, rest, j.Raw)
			switch first := first.(type) {
			case json.Delim:
				require.Equal(t, first.String(), string(j.Raw))
				if first == '[' {
					return j.Array(func(_ int, first json.Token) error { return value(first) })
				}
				return j.Object(func(key strictjson.Key, first json.Token) error {
					var name string
					require.NoError(t, json.NewDecoder(bytes.NewReader(from(file, key.At))).Decode(&name))
					require.Equal(t, key.Name, name)
					return value(first)
				})
			case string:
				var text string
				require.NoError(t, json.Unmarshal(j.Raw, &text))
				require.Equal(t, first, text)
			case json.Number:
				require.Equal(t, string(first), string(j.Raw))
			}
			return nil
		}
		first, err := j.Token()
		if err == nil {
			err = value(first)
		}
		if err == nil {
			err = j.Finish()
		}
		from(file, j.At)
		if err != nil && strings.Contains(err.Error(), "deeper than") {
			return
		}
		require.Equal(t, json.Valid(file), err == nil, "%v", err)
	})
}

// from returns the file from a position on.
func from(file []byte, at strictjson.Position) []byte {
	for range at.Line - 1 {
		file = file[bytes.IndexByte(file, '\n')+1:]
	}
	for range at.Column - 1 {
		_, size := utf8.DecodeRune(file)
		file = file[size:]
	}
	return file
}
