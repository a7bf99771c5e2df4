package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

const deepPoolNote = "Times are measured, whole us; the last linear layer's backward time is missing in the source, and its SUM(avg) lines, " +
	"which are above the sum of the rows, are not used. A convolution or linear layer and the ReLU below it are one layer, " +
	"because the source books the backward time of both on the ReLU. " +
	"Parameter and activation bytes are not in the source: they are derived from settings and shapes at 4 bytes per number, with a bias in each convolution outside bottlenecks."

const deepPoolWant = `"conv2d{"in_channels":3,...}[64][3,224,224]   2.157   2157   6"`

// deepPoolRow is one operation at one batch size.
type deepPoolRow struct {
	line              int
	op                string
	settings          []byte
	batch             int
	in                shape
	forward, backward instance.Duration
}

// deepPoolBatch is the rows of one batch size, in order of the forward pass.
type deepPoolBatch struct {
	batch int
	rows  []deepPoolRow
}

// importDeepPool reads a .prof file of DeepPool; see the package comment. It
// returns one profile per batch size, or the one of opt.Batch.
func importDeepPool(data []byte, opt ImportOptions) ([]*instance.Profile, error) {
	if err := opt.check(false); err != nil {
		return nil, err
	}
	batches, err := readDeepPool(data)
	if err != nil {
		return nil, err
	}
	var out []*instance.Profile
	for _, b := range batches {
		if opt.Batch != 0 && b.batch != opt.Batch {
			continue
		}
		layers, err := deepPoolLayers(b)
		if err != nil {
			return nil, err
		}
		p, err := opt.profile(b.batch, deepPoolNote, layers)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		var have []string
		for _, b := range batches {
			have = append(have, strconv.Itoa(b.batch))
		}
		return nil, fmt.Errorf("profiles: the file has no batch size %d; it has %s", opt.Batch, instance.Clip(strings.Join(have, ", ")))
	}
	return out, nil
}

func readDeepPool(data []byte) ([]deepPoolBatch, error) {
	var batches []deepPoolBatch
	first := make(map[int]int) // batch to its first line
	open := false              // rows may be added to the last batch
	rows := 0
	err := eachLine(data, func(line int, text string) error {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "SUM(avg)") || strings.HasPrefix(text, "sum:") {
			open = false
			return nil
		}
		row, err := parseDeepPoolRow(text)
		if err != nil {
			return err
		}
		row.line = line
		if rows++; rows > maxNodes {
			return fmt.Errorf("more than %d rows", maxNodes)
		}
		if open && batches[len(batches)-1].batch == row.batch {
			last := &batches[len(batches)-1]
			last.rows = append(last.rows, row)
			return nil
		}
		if l, found := first[row.batch]; found {
			return fmt.Errorf("batch %d begins on line %d already; the rows of a batch stand together and end with one SUM(avg)", row.batch, l)
		}
		first[row.batch] = line
		open = true
		batches = append(batches, deepPoolBatch{row.batch, []deepPoolRow{row}})
		return nil
	})
	if err == nil && len(batches) == 0 {
		err = fmt.Errorf("profiles: the file has no rows; expected lines like %s", deepPoolWant)
	}
	return batches, err
}

// parseDeepPoolRow reads op{settings}[batch][c,h,w] total forward backward; for
// flat inputs the shape is a plain number after [batch].
func parseDeepPoolRow(text string) (deepPoolRow, error) {
	var row deepPoolRow
	malformed := fmt.Errorf("%q is not a row; expected %s", instance.Clip(text), deepPoolWant)
	brace := strings.IndexByte(text, '{')
	if brace < 1 || !isWord(text[:brace]) {
		return row, malformed
	}
	row.op = text[:brace]
	dec := json.NewDecoder(strings.NewReader(text[brace:]))
	var settings json.RawMessage
	if err := dec.Decode(&settings); err != nil {
		return row, fmt.Errorf("%s: settings are not JSON: %w", instance.Clip(row.op), err)
	}
	row.settings = settings
	fields := strings.Fields(text[brace+int(dec.InputOffset()):])
	if len(fields) != 4 {
		return row, malformed
	}
	batch, dims, found := strings.Cut(strings.TrimPrefix(fields[0], "["), "]")
	n, err := strconv.Atoi(batch)
	if !found || err != nil || !strings.HasPrefix(fields[0], "[") {
		return row, malformed
	}
	if n < 1 || n > instance.MaxBatch {
		return row, fmt.Errorf("batch %d is not between 1 and %d", n, instance.MaxBatch)
	}
	row.batch = n
	if row.in, err = parseShape(dims); err != nil {
		return row, err
	}
	if _, err = parseMilliseconds(fields[1]); err != nil {
		return row, fmt.Errorf("total ms %q %w", instance.Clip(fields[1]), err)
	}
	if row.forward, err = parseMicroseconds(fields[2]); err != nil {
		return row, fmt.Errorf("forward us %q %w", instance.Clip(fields[2]), err)
	}
	if row.backward, err = parseMicroseconds(fields[3]); err != nil {
		return row, fmt.Errorf("backward us %q %w", instance.Clip(fields[3]), err)
	}
	return row, nil
}

// deepPoolLayers turns the rows of a batch into layers.
func deepPoolLayers(b deepPoolBatch) ([]instance.Layer, error) {
	var layers []instance.Layer
	var prev shape
	mergeable := false // the row above waits for its ReLU
	for i, row := range b.rows {
		if i > 0 && !row.in.equal(prev) {
			return nil, fmt.Errorf("profiles: line %d: %s reads %v, but the row above gives %v; only chains can be imported", row.line, row.op, row.in, prev)
		}
		cost, err := deepPoolCost(row)
		if err != nil {
			return nil, fmt.Errorf("profiles: line %d: %s: %w", row.line, instance.Clip(row.op), err)
		}
		l := instance.Layer{
			Name:        instance.Clip(fmt.Sprintf("row%d %s", i+1, row.op)),
			Forward:     row.forward,
			Backward:    row.backward,
			Parameters:  cost.parameters,
			Activations: cost.activations,
		}
		if cost.relu && mergeable {
			m := &layers[len(layers)-1]
			m.Name += "+ReLU"
			m.Forward += l.Forward
			m.Backward += l.Backward
		} else {
			l.Output = cost.passed
			if cost.relu {
				l.Joined = i > 0
			}
			layers = append(layers, l)
		}
		mergeable = row.op == "conv2d" || row.op == "linear"
		prev = cost.out
	}
	return layers, nil
}

// decodeSettings reads the settings of an operation; unknown ones are an error,
// since they might change sizes.
func decodeSettings(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	return nil
}

var errSize = errors.New("settings give no positive size, or one above 2^56 bytes")
