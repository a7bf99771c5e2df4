package estimate

import "fmt"

// shape is what a transformer is trained on.
type shape struct {
	batch, sequence int64
	precision       Precision
	fused           bool // attention
	checkpointing   bool
}

// network lists the costs of a transformer: the embedding, its blocks, and the head with the loss.
func (t *Transformer) network(s shape) *network {
	if t.Type == "vit" {
		s.sequence = t.patches() + 1
	}
	block, workspace := t.block(s), int64(0)
	if s.checkpointing {
		workspace = block.kept - block.input
		block = block.checkpointed()
	}
	n := &network{
		samples: s.batch, tokens: s.batch * s.sequence,
		attention: 12 * float64(t.Layers*t.Heads*t.HeadSize*s.sequence),
		layers:    []layer{t.embedding(s)},
	}
	for i := range t.Layers {
		block.name = fmt.Sprintf("block%d", i)
		n.layers = append(n.layers, block)
	}
	head, loss := t.head(s)
	n.layers = append(n.layers, head)
	n.workspace = max(workspace, loss)
	return n
}

// patches of an image.
func (t *Transformer) patches() int64 { return (t.Image / t.Patch) * (t.Image / t.Patch) }

// checkpointed keeps its input alone, and does its forward pass once more before its backward pass.
func (l layer) checkpointed() layer {
	l.kept = l.input
	operations := make([]operation, len(l.operations))
	l.backReduced += l.reduced
	for i, o := range l.operations {
		o.backFlops += o.flops
		o.backBytes += o.bytes
		operations[i] = o
	}
	l.operations = operations
	return l
}

// embedding looks tokens up, or projects the patches of images.
func (t *Transformer) embedding(s shape) layer {
	w, h := numbers{float64(s.precision.width())}, t.Hidden
	tokens := s.batch * s.sequence
	l := layer{name: "embedding", reduced: tokens * h * s.precision.width()}
	th := float64(tokens * h)
	// A gradient of the whole table is written, and that of each token added.
	lookup := func(rows int64) operation { return w.move(2*th, float64(rows*h)+3*th) }
	switch t.Type {
	case "vit":
		patch := t.Channels * t.Patch * t.Patch
		l.parameters = patch*h + h + h + (t.patches()+1)*h // projection, class token, positions
		l.input = s.batch * t.Channels * t.Image * t.Image * s.precision.width()
		l.kept = l.input
		project := w.multiply(float64(s.batch*t.patches()), float64(patch), float64(h))
		project.backFlops /= 2 // images need no gradient
		project.backBytes /= 2
		l.operations = []operation{project, w.move(3*th, 2*th)}
	default:
		l.parameters = t.Vocabulary * h
		l.input, l.kept = 8*tokens, 8*tokens // token ids
		l.operations = []operation{lookup(t.Vocabulary)}
		if t.Type == "gpt2" || t.Type == "bert" {
			l.parameters += t.Positions * h
			l.operations = append(l.operations, w.move(3*th, 2*th))
		}
		if t.Type == "bert" {
			l.parameters += t.TokenTypes*h + 2*h
			l.kept += tokens * h * s.precision.width() // what the norm reads
			l.operations = append(l.operations, w.move(2*th, 2*th), w.norm(th))
		}
	}
	if t.Dropout {
		l.kept += tokens * h
		l.operations = append(l.operations, w.move(2*th, 2*th))
	}
	return l
}

// block is attention and the feed-forward part, with their norms and sums.
func (t *Transformer) block(s shape) layer {
	w, width := numbers{float64(s.precision.width())}, s.precision.width()
	tokens := s.batch * s.sequence
	h, q, kv, f := t.Hidden, t.Heads*t.HeadSize, t.KVHeads*t.HeadSize, t.Intermediate
	n, fh, ff := float64(tokens), float64(tokens*h), float64(tokens*f)

	l := layer{input: tokens * h * width, reduced: 2 * tokens * h * width, backReduced: 2 * tokens * h * width}
	kept := int64(0) // numbers for each token
	add := func(o ...operation) { l.operations = append(l.operations, o...) }
	norm := func() {
		l.parameters += h
		if !t.gated() {
			l.parameters += h
		}
		kept += 2 * h // what it reads, and what the product after it reads
		add(w.norm(fh))
	}
	multiply := func(from, to int64, bias bool) {
		l.parameters += from * to
		if bias {
			l.parameters += to
		}
		add(w.multiply(n, float64(from), float64(to)))
	}
	always := !t.gated() // GPT-2, BERT and ViT add biases everywhere but where ViT is told not to
	queryBias := t.QueryBias || t.AttentionBias || t.Type == "gpt2" || t.Type == "bert"

	norm()
	multiply(h, q, queryBias)
	multiply(h, kv, queryBias)
	multiply(h, kv, queryBias)
	kept += q + 2*kv
	if t.gated() { // rotary positions
		add(w.move(2*n*float64(q+kv), 2*n*float64(q+kv)))
	}
	l.kept += t.attend(&l, s)
	kept += q // what the output's product reads
	multiply(q, h, always || t.AttentionBias)
	residual := func() {
		if t.Dropout {
			l.kept += tokens * h // a mask of bytes
			add(w.move(2*fh, 2*fh))
		}
		add(w.move(3*fh, fh))
	}
	residual()

	norm()
	if t.gated() {
		multiply(h, f, t.FeedForwardBias)
		multiply(h, f, t.FeedForwardBias)
		kept += 4 * f // gate, its activation, the other product, and both multiplied
		add(w.move(5*ff, 8*ff))
	} else {
		multiply(h, f, true)
		kept += 2 * f // before and after the activation function
		add(w.move(2*ff, 3*ff))
	}
	multiply(f, h, always || t.FeedForwardBias)
	residual()

	l.kept += kept * tokens * width
	return l
}

// attend adds the operations between queries, keys and values and the output, and returns the
// bytes kept beside these.
func (t *Transformer) attend(l *layer, s shape) int64 {
	w := numbers{float64(s.precision.width())}
	pairs := float64(s.sequence) * float64(s.sequence)
	reach := s.sequence
	if t.Window > 0 {
		reach = min(reach, t.Window)
	}
	if s.fused && t.causal() {
		r := float64(reach)
		pairs = float64(s.sequence)*r - r*r/2
	}
	rows := float64(s.batch * t.Heads)
	flops := 2 * rows * pairs * float64(t.HeadSize) // of one product
	vectors := float64(s.batch*s.sequence) * float64(2*t.Heads+2*t.KVHeads) * float64(t.HeadSize)
	if s.fused {
		o := w.move(vectors, 2*vectors)
		o.kind, o.flops, o.backFlops = product, 2*flops, 5*flops
		l.operations = append(l.operations, o)
		return 4 * s.batch * t.Heads * s.sequence // the sums of the rows
	}
	scores := rows * pairs
	o := w.move(vectors+2*scores, 2*(vectors+2*scores))
	o.kind, o.flops, o.backFlops = product, 2*flops, 4*flops
	// Scaling with the mask, and softmax.
	l.operations = append(l.operations, o, w.move(4*scores, 5*scores))
	bytes := s.batch * t.Heads * s.sequence * s.sequence
	kept := bytes * s.precision.width()
	if t.AttentionDropout {
		l.operations = append(l.operations, w.move(2*scores, 2*scores))
		kept += bytes * (1 + s.precision.width())
	}
	return kept
}

// head is what stands on the blocks, with the loss, and the workspace that the loss needs.
func (t *Transformer) head(s shape) (l layer, workspace int64) {
	w, width, h := numbers{float64(s.precision.width())}, s.precision.width(), t.Hidden
	tokens := s.batch * s.sequence
	l = layer{name: "head", input: tokens * h * width, backReduced: tokens * h * width}
	add := func(o ...operation) { l.operations = append(l.operations, o...) }
	multiply := func(rows, from, to int64) {
		l.parameters += from*to + to
		l.kept += rows * from * width
		add(w.multiply(float64(rows), float64(from), float64(to)))
	}
	norm := func(weights int64) {
		l.parameters += weights * h
		l.kept += tokens * h * width
		add(w.norm(float64(tokens * h)))
	}
	// The logits are kept as they are and, in 32 bit, as what softmax gives; its gradient is workspace.
	loss := func(rows, classes int64) {
		n := float64(rows * classes)
		add(operation{kind: movement, bytes: n * float64(width+12), backBytes: n * float64(width+12)})
		l.kept += rows * classes * (width + 4)
		workspace = 4 * rows * classes
	}
	output := func() { // the product with the embedding, or one of its own
		if !t.Tied {
			l.parameters += t.Vocabulary * h
		}
		l.kept += tokens * h * width
		add(w.multiply(float64(tokens), float64(h), float64(t.Vocabulary)))
		loss(tokens, t.Vocabulary)
	}
	switch t.Type {
	case "llama", "mistral", "qwen2":
		norm(1)
		output()
	case "gpt2":
		norm(2)
		output()
	case "vit":
		norm(2)
		if t.Head == "classifier" {
			multiply(s.batch, h, t.Labels)
			loss(s.batch, t.Labels)
		} else {
			multiply(s.batch, h, h)
		}
	case "bert":
		if t.Head != "masked-lm" {
			multiply(s.batch, h, h)
		}
		if t.Head == "pooler" {
			break
		}
		multiply(tokens, h, h)
		norm(2)
		l.parameters += t.Vocabulary // a bias of the logits
		output()
		if t.Head == "pretraining" {
			multiply(s.batch, h, 2)
		}
	}
	return l, workspace
}
