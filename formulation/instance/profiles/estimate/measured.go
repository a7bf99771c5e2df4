package estimate

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"jigsaw/formulation/instance"
)

// configs are those of Hugging Face, of models that the library has, in files with their names.
//
//go:embed configs
var configs embed.FS

// known says how a profile of the library would be estimated; false where no formula stands for
// its model.
func known(p *instance.Profile) (o Options, ok bool, err error) {
	o = Options{Model: p.Model, GPU: p.GPU, Batch: p.Batch, Precision: FP32}
	if p.Precision != "" {
		o.Precision = Precision(p.Precision)
	}
	file, err := configs.Open("configs/" + p.Model + ".json")
	switch {
	case err == nil:
		defer file.Close()
		if o.Transformer, err = ReadConfig(file); err != nil {
			return o, false, fmt.Errorf("estimate: %s: %w", p.Model, err)
		}
		o.Sequence = min(int(o.Transformer.Positions), 4096) // as they were measured; images have none
	case !errors.Is(err, fs.ErrNotExist):
		return o, false, err
	case p.Model == "bert24":
		o.Eager, o.Sequence = true, 512
		o.Transformer = &Transformer{Type: "bert", Layers: 24, Hidden: 1024, Heads: 16, Intermediate: 4096, Vocabulary: 30522,
			Positions: 512, Dropout: true, AttentionDropout: true, Head: "pretraining"} // not tied: the file counts both
	case net(p.Model, 1, o.Precision) != nil:
		o.Net = p.Model
	default:
		return o, false, nil
	}
	if p.GPU == "a100" {
		// PyTorch's convolutions are in TF32 there. The card moves 1.64 GB twice in 2.41 ms: 40 GB.
		o.GPU, o.Precision = "a100-40gb", TF32
	}
	return o, true, nil
}
