package estimate

import "jigsaw/formulation/instance"

// mptSource is where the throughputs of the MPT models are published.
const mptSource = "https://github.com/mosaicml/llm-foundry scripts/train/benchmarking/README.md"

// throughput is a published one of a whole model.
type throughput struct {
	options         Options
	tokensPerSecond float64 // and GPU
	parameters      int64   // as published
}

// iteration is the time of a micro-batch.
func (t *throughput) iteration() instance.Duration {
	return instance.Duration(1e9 * float64(t.options.Batch*t.options.Sequence) / t.tokensPerSecond)
}

// throughputs of MosaicML's MPT models in bf16 on 8 GPUs of one node (16 where there is no row
// of 8), 2048 tokens a sample, without checkpointing, parameters sharded: rows of the tables of
// mptSource, commit 061f2c7 (Apache-2.0). What is not hidden of communication and optimizer is in them. Their
// architecture is GPT-2's, with a vocabulary of 50368, 2048 positions, and no dropout; so the
// published numbers of parameters come out exactly.
func throughputs() []throughput {
	size := map[string][3]int64{ // layers, width, heads
		"mpt-125m": {12, 768, 12}, "mpt-350m": {24, 1024, 16}, "mpt-760m": {24, 1536, 12}, "mpt-1b": {24, 2048, 16},
		"mpt-3b": {32, 2560, 20}, "mpt-7b": {32, 4096, 32}, "mpt-13b": {40, 5120, 40},
	}
	row := func(model, gpu string, batch int, rate float64, parameters int64) throughput {
		s := size[model]
		return throughput{Options{Model: model, GPU: gpu, Batch: batch, Sequence: 2048, Precision: BF16, Transformer: &Transformer{
			Type: "gpt2", Layers: s[0], Hidden: s[1], Heads: s[2], Vocabulary: 50368, Positions: 2048, Tied: true,
		}}, rate, parameters}
	}
	return []throughput{
		row("mpt-125m", "a100", 40, 142830, 125311488),
		row("mpt-350m", "a100", 32, 58782, 355985408),
		row("mpt-760m", "a100", 24, 32434, 760470528),
		row("mpt-1b", "a100", 14, 20513, 1315950592),
		row("mpt-3b", "a100", 10, 10811, 2651837440),
		row("mpt-7b", "a100", 6, 4641, 6658859008),
		row("mpt-13b", "a100", 2, 2262, 12853954560),
		row("mpt-760m", "h100", 24, 63147, 760470528),
		row("mpt-1b", "h100", 14, 45455, 1315950592),
		row("mpt-3b", "h100", 10, 24142, 2651837440), // 16 GPUs
		row("mpt-7b", "h100", 6, 10643, 6658859008),
		row("mpt-13b", "h100", 2, 4792, 12853954560),
	}
}
