package estimate

import "jigsaw/formulation/instance"

// known says how a profile of the library would be estimated; false where no formula stands for
// its model.
func known(p *instance.Profile) (Options, bool) {
	o := Options{Model: p.Model, GPU: p.GPU, Batch: p.Batch, Precision: FP32}
	if p.Precision != "" {
		o.Precision = Precision(p.Precision)
	}
	if t := transformer(p.Model); t != nil {
		o.Transformer = t
		o.Sequence = min(int(t.Positions), 4096) // as they were measured; images have none
		o.Eager = p.Model == "bert24"
	} else {
		if net(p.Model, 1, o.Precision) == nil {
			return o, false
		}
		o.Net = p.Model
	}
	if p.GPU == "a100" {
		// PyTorch's convolutions are in TF32 there. The card moves 1.64 GB twice in 2.41 ms: 40 GB.
		o.GPU, o.Precision = "a100-40gb", TF32
	}
	return o, true
}

// transformer returns the architecture of a transformer that the library has a measured profile
// of, or nil.
func transformer(model string) *Transformer {
	bert := Transformer{Type: "bert", Layers: 24, Hidden: 1024, Heads: 16, Intermediate: 4096, Vocabulary: 30522, Positions: 512,
		TokenTypes: 2, Dropout: true, AttentionDropout: true, Tied: true, Head: "pooler"}
	llama := Transformer{Type: "llama", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, Intermediate: 14336, Vocabulary: 128256, Positions: 8192}
	switch model {
	default:
		return nil
	case "bert24":
		bert.TokenTypes, bert.Tied, bert.Head = 0, false, "pretraining" // the file counts both embeddings
		return &bert
	case "bert_large":
		return &bert
	case "gpt2_xl":
		return &Transformer{Type: "gpt2", Layers: 48, Hidden: 1600, Heads: 25, Vocabulary: 50257, Positions: 1024, Dropout: true,
			AttentionDropout: true, Tied: true}
	case "llama3_8b":
		return &llama
	case "mistral_7b":
		llama.Type, llama.Vocabulary = "mistral", 32000
		return &llama
	case "qwen2_7b":
		return &Transformer{Type: "qwen2", Layers: 28, Hidden: 3584, Heads: 28, KVHeads: 4, Intermediate: 18944, Vocabulary: 152064,
			Positions: 32768, QueryBias: true}
	case "vit_l16":
		return &Transformer{Type: "vit", Layers: 24, Hidden: 1024, Heads: 16, Intermediate: 4096, Image: 224, Patch: 16, QueryBias: true,
			Labels: 1000, Head: "classifier"}
	}
}
