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
	n := &network{
		samples: s.batch, tokens: s.batch * s.sequence,
		attention: 6 * float64(t.Layers*t.Heads*(t.querySize()+t.valueSize())*s.sequence),
		layers:    []layer{t.embedding(s)},
	}
	workspace := int64(0)
	for i := range t.Layers {
		block := t.block(i, s)
		if s.checkpointing {
			workspace = max(workspace, block.kept-block.input)
			block = block.checkpointed()
		}
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

// block is attention and the feed-forward part of a layer, with their norms and sums.
func (t *Transformer) block(at int64, s shape) layer {
	b := &block{numbers: numbers{float64(s.precision.width())}, tokens: s.batch * s.sequence}
	width, h := s.precision.width(), t.Hidden
	b.input, b.reduced, b.backReduced = b.tokens*h*width, 2*b.tokens*h*width, 2*b.tokens*h*width
	weights := h // of a norm
	if !t.gated() {
		weights += h
	}
	residual := func() {
		all := float64(b.tokens * h)
		if t.family().norms == 4 { // of what the part gives, too
			b.norm(h, weights, h)
		}
		if t.Dropout {
			b.kept += b.tokens * h // a mask of bytes
			b.add(b.move(2*all, 2*all))
		}
		b.add(b.move(3*all, all))
	}
	b.norm(h, weights, 2*h)
	t.attention(b, at, s)
	residual()
	b.norm(h, weights, 2*h)
	if e := t.expertsIn(at); e != nil {
		t.mixture(b, e)
	} else {
		t.feedForward(b, t.Intermediate, t.FeedForwardBias)
	}
	residual()
	b.kept += b.each * b.tokens * width
	return b.layer
}

// block is a layer while its operations are listed.
type block struct {
	layer
	numbers
	tokens int64
	each   int64 // numbers kept for each token, beside the bytes of the layer
}

func (b *block) add(o ...operation) { b.operations = append(b.operations, o...) }

// norm normalises so many numbers of each token; so many are kept: what it reads and, where the product after it
// needs that, what it gives.
func (b *block) norm(size, weights, kept int64) {
	b.parameters += weights
	b.each += kept
	b.add(b.numbers.norm(float64(b.tokens * size)))
}

// multiply is a product of each token's numbers.
func (b *block) multiply(from, to int64, bias bool) {
	b.parameters += from * to
	if bias {
		b.parameters += to
	}
	b.add(b.numbers.multiply(float64(b.tokens), float64(from), float64(to)))
}

// attention projects queries, keys and values, attends, and projects the output.
func (t *Transformer) attention(b *block, at int64, s shape) {
	h, heads, size := t.Hidden, t.Heads, t.querySize()
	q, k, v := heads*size, t.KVHeads*size, t.KVHeads*t.valueSize()
	always := !t.gated() // GPT-2, BERT and ViT add biases everywhere but where ViT is told not to
	bias := t.QueryBias || t.AttentionBias || t.Type == "gpt2" || t.Type == "bert"
	if l := t.Latent; l != nil {
		if l.QueryRank > 0 {
			b.multiply(h, l.QueryRank, t.AttentionBias)
			b.norm(l.QueryRank, l.QueryRank, 2*l.QueryRank)
			b.multiply(l.QueryRank, q, false)
		} else {
			b.multiply(h, q, false)
		}
		b.multiply(h, l.Rank+l.Rotary, t.AttentionBias)
		b.norm(l.Rank, l.Rank, 2*l.Rank)
		b.multiply(l.Rank, heads*(t.HeadSize+l.ValueSize), false)
		shared := float64(b.tokens * k)
		b.add(b.move(2*shared, 2*shared)) // keys are put together
	} else {
		b.multiply(h, q, bias)
		b.multiply(h, k, bias)
		b.multiply(h, v, bias)
	}
	b.each += q + k + v
	switch t.family().queryNorm {
	case headNormed:
		b.norm(q+k, 2*size, q+k)
	case widthNormed:
		b.norm(q+k, q+k, q+k)
	}
	if t.gated() { // rotary positions
		turned := float64(b.tokens * (q + k))
		b.add(b.move(2*turned, 2*turned))
	}
	if t.family().sinks {
		b.parameters += heads
	}
	b.kept += t.attend(&b.layer, t.window(at), s)
	b.each += heads * t.valueSize() // what the output's product reads
	b.multiply(heads*t.valueSize(), h, always || t.AttentionBias)
}

// feedForward is a feed-forward part of a width that all tokens go through.
func (t *Transformer) feedForward(b *block, f int64, bias bool) {
	h, all := t.Hidden, float64(b.tokens*f)
	if t.gated() {
		b.multiply(h, f, bias)
		b.multiply(h, f, bias)
		b.each += 4 * f // gate, its activation, the other product, and both multiplied
		b.add(b.move(5*all, 8*all))
	} else {
		b.multiply(h, f, true)
		b.each += 2 * f // before and after the activation function
		b.add(b.move(2*all, 3*all))
	}
	b.multiply(f, h, bias || !t.gated())
}

// mixture is a router, the experts that it chooses, and the part that all tokens go through.
func (t *Transformer) mixture(b *block, e *Experts) {
	h, kind := t.Hidden, t.family()
	b.multiply(h, e.Number, kind.expertBias)
	b.each += e.Number
	scores := float64(b.tokens * e.Number)
	b.add(b.move(2*scores, 3*scores))
	if kind.correction {
		b.parameters += e.Number
	}

	// Each token goes to some experts, as one row to each; an expert's products are worked out for all of its rows at once.
	rows := float64(b.tokens * e.Active)
	used := min(rows, float64(e.Number))
	multiply := func(from, to int64) {
		weights := from * to
		if kind.expertBias {
			weights += to
		}
		b.parameters += e.Number * weights
		b.idle += (e.Number - e.Active) * weights
		one := b.numbers.multiply(rows/used, float64(from), float64(to))
		b.add(operation{product, used * one.flops, used * one.backFlops, used * one.bytes, used * one.backBytes})
	}
	gathered, all := rows*float64(h), rows*float64(e.Intermediate)
	b.add(b.move(2*gathered, 2*gathered))
	multiply(h, e.Intermediate)
	multiply(h, e.Intermediate)
	b.add(b.move(5*all, 8*all))
	multiply(e.Intermediate, h)
	b.add(b.move(2*gathered, 3*gathered)) // weighed and added up
	b.each += e.Active * (2*h + 4*e.Intermediate)

	if e.Shared > 0 {
		t.feedForward(b, e.Shared, false)
	}
	if e.SharedGate {
		b.multiply(h, 1, false)
		b.each += h
	}
}

// attend adds the operations between queries, keys and values and the output, and returns the
// bytes kept beside these.
func (t *Transformer) attend(l *layer, window int64, s shape) int64 {
	w := numbers{float64(s.precision.width())}
	pairs := float64(s.sequence) * float64(s.sequence)
	reach := s.sequence
	if window > 0 {
		reach = min(reach, window)
	}
	if s.fused && t.causal() {
		r := float64(reach)
		pairs = float64(s.sequence)*r - r*r/2
	}
	rows := float64(s.batch * t.Heads)
	// Of the product of queries and keys, and that of scores and values.
	queries, values := 2*rows*pairs*float64(t.querySize()), 2*rows*pairs*float64(t.valueSize())
	vectors := float64(s.batch*s.sequence) * float64((t.Heads+t.KVHeads)*(t.querySize()+t.valueSize()))
	if s.fused {
		o := w.move(vectors, 2*vectors)
		o.kind, o.flops, o.backFlops = product, queries+values, 3*queries+2*values
		l.operations = append(l.operations, o)
		return 4 * s.batch * t.Heads * s.sequence // the sums of the rows
	}
	scores := rows * pairs
	o := w.move(vectors+2*scores, 2*(vectors+2*scores))
	o.kind, o.flops, o.backFlops = product, queries+values, 2*(queries+values)
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
	default:
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
