package codec

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"jigsaw/formulation/instance/strictjson"
)

// parseJSON reads a JSON file into the tree that a YAML parser would make.
func parseJSON(data []byte) (*yaml.Node, error) {
	j := strictjson.NewReader(bytes.NewReader(data))
	first, err := j.Token()
	if err != nil {
		return nil, err
	}
	values := 0
	root, err := tree(j, first, &values)
	if err != nil {
		return nil, err
	}
	return root, j.Finish()
}

// tree reads the value that begins with the token first.
func tree(j *strictjson.Reader, first json.Token, values *int) (*yaml.Node, error) {
	if *values++; *values > maxValues {
		return nil, j.Fail("the file holds more than %d values", maxValues)
	}
	n := &yaml.Node{Kind: yaml.ScalarNode, Line: j.At.Line, Column: j.At.Column}
	switch first := first.(type) {
	case string:
		n.Tag, n.Value = "!!str", first
	case json.Number:
		n.Tag, n.Value = "!!int", string(first)
		if bytes.ContainsAny(j.Raw, ".eE") {
			n.Tag = "!!float"
		}
	case bool:
		n.Tag, n.Value = "!!bool", string(j.Raw)
	case nil:
		n.Tag, n.Value = "!!null", string(j.Raw)
	case json.Delim:
		if first == '{' {
			n.Kind, n.Tag = yaml.MappingNode, "!!map"
			return n, j.Object(func(key strictjson.Key, first json.Token) error {
				k := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key.Name, Line: key.At.Line, Column: key.At.Column}
				v, err := tree(j, first, values)
				n.Content = append(n.Content, k, v)
				return err
			})
		}
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		return n, j.Array(func(_ int, first json.Token) error {
			v, err := tree(j, first, values)
			n.Content = append(n.Content, v)
			return err
		})
	}
	return n, nil
}
