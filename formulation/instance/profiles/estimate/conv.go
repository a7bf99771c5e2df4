package estimate

import "fmt"

// picture is a batch of feature maps: channels x side x side.
type picture struct{ channels, side int64 }

// convolutions builds a convolutional net layer by layer.
type convolutions struct {
	network
	numbers
	batch    int64
	bytes    int64 // of a number
	at       picture
	current  layer
	anything bool // some layer has been: what comes in needs a gradient
	winograd bool // without tensor cores, libraries save multiplications
}

func (c *convolutions) count(p picture) float64 {
	return float64(c.batch * p.channels * p.side * p.side)
}

// begin starts a layer.
func (c *convolutions) begin(name string) {
	c.current = layer{name: name, input: c.batch * c.at.channels * c.at.side * c.at.side * c.bytes}
}

// end puts the layer behind the others.
func (c *convolutions) end() { c.layers = append(c.layers, c.current) }

func (c *convolutions) keep(p picture) { c.current.kept += int64(c.count(p)) * c.bytes }

func (c *convolutions) add(o operation) { c.current.operations = append(c.current.operations, o) }

// conv is a convolution of a square kernel. Its output is kept for what follows.
func (c *convolutions) conv(out, kernel, stride, padding int64, bias bool) {
	to := picture{out, (c.at.side+2*padding-kernel)/stride + 1}
	weights := out * c.at.channels * kernel * kernel
	c.current.parameters += weights
	if bias {
		c.current.parameters += out
	}
	useful := 2 * float64(c.batch*to.side*to.side) * float64(weights)
	flops := useful
	bytes := c.width * (c.count(c.at) + c.count(to) + float64(weights))
	if kernel == 3 && stride == 1 && c.winograd {
		flops /= 2.25
	}
	o := operation{convolution, flops, 2 * flops, bytes, 2 * bytes}
	if !c.anything {
		o.backFlops, o.backBytes = flops, bytes // images need no gradient
		c.keep(c.at)
	}
	c.anything = true
	c.useful += useful * (o.flops + o.backFlops) / flops
	c.add(o)
	c.at = to
	c.keep(to)
}

// norm is batch normalisation: two passes over its input each way. Its output takes the place
// of nothing, and is kept.
func (c *convolutions) norm(keep bool) {
	c.current.parameters += 2 * c.at.channels
	n := c.count(c.at)
	o := c.move(3*n, 5*n)
	o.kind = batchNorm
	c.add(o)
	if keep {
		c.keep(c.at)
	}
}

// relu works in place.
func (c *convolutions) relu() { n := c.count(c.at); c.add(c.move(2*n, 3*n)) }

// pool keeps its output, and where each number came from in 8 bytes.
func (c *convolutions) pool(kernel, stride, padding int64) {
	from := c.count(c.at)
	c.at.side = (c.at.side+2*padding-kernel)/stride + 1
	to := c.count(c.at)
	c.add(c.move(from+to, from+to))
	c.keep(c.at)
	c.current.kept += int64(to) * 8
}

// average pools to one side.
func (c *convolutions) average(side int64) {
	n := c.count(c.at)
	c.at.side = side
	c.add(c.move(n, n))
	c.keep(c.at)
}

// linear takes all that comes in.
func (c *convolutions) linear(out int64) {
	in := c.at.channels * c.at.side * c.at.side
	c.current.parameters += in*out + out
	o := c.multiply(float64(c.batch), float64(in), float64(out))
	c.useful += o.flops + o.backFlops
	c.add(o)
	c.at = picture{out, 1}
	c.keep(c.at)
}

// dropout keeps its output and its mask.
func (c *convolutions) dropout() {
	n := c.count(c.at)
	c.add(c.move(2*n, 2*n))
	c.keep(c.at)
	c.current.kept += int64(n)
}

// vggs are the convolutions of VGG between its pools.
var vggs = map[string][5]int{"vgg11": {1, 1, 2, 2, 2}, "vgg13": {2, 2, 2, 2, 2}, "vgg16": {2, 2, 3, 3, 3}, "vgg19": {2, 2, 4, 4, 4}}

// residual is a ResNet: its blocks by stage, whether they are bottlenecks, and how wide these are.
type residual struct {
	blocks     [4]int
	bottleneck bool
	width      int64
}

var residuals = map[string]residual{
	"resnet18": {[4]int{2, 2, 2, 2}, false, 64}, "resnet34": {[4]int{3, 4, 6, 3}, false, 64},
	"resnet50": {[4]int{3, 4, 6, 3}, true, 64}, "resnet101": {[4]int{3, 4, 23, 3}, true, 64}, "resnet152": {[4]int{3, 8, 36, 3}, true, 64},
	"wrn50_2": {[4]int{3, 4, 6, 3}, true, 128}, "wrn101_2": {[4]int{3, 4, 23, 3}, true, 128},
}

// Nets lists the convolutional nets that are known, as torchvision builds them for images of
// 224 x 224 pixels and 1000 classes.
func Nets() []string {
	return []string{
		"alexnet", "resnet18", "resnet34", "resnet50", "resnet101", "resnet152",
		"vgg11", "vgg13", "vgg16", "vgg19", "wrn50_2", "wrn101_2",
	}
}

// net lists the costs of a convolutional net; nil if there is none of that name.
func net(name string, batch int64, p Precision) *network {
	c := &convolutions{numbers: numbers{float64(p.width())}, batch: batch, bytes: p.width(), at: picture{3, 224}, winograd: p == FP32}
	c.samples, c.tokens = batch, batch
	switch {
	case name == "alexnet":
		c.alexnet()
	case vggs[name] != [5]int{}:
		c.vgg(vggs[name])
	case residuals[name].width > 0:
		c.resnet(residuals[name])
	default:
		return nil
	}
	return &c.network
}

func (c *convolutions) alexnet() {
	for i, s := range []struct {
		out, kernel, stride, padding int64
		pool                         bool
	}{{64, 11, 4, 2, true}, {192, 5, 1, 2, true}, {384, 3, 1, 1, false}, {256, 3, 1, 1, false}, {256, 3, 1, 1, true}} {
		c.begin(fmt.Sprintf("conv%d", i+1))
		c.conv(s.out, s.kernel, s.stride, s.padding, true)
		c.relu()
		if s.pool {
			c.pool(3, 2, 0)
		}
		c.end()
	}
	for i, out := range []int64{4096, 4096, 1000} {
		c.begin(fmt.Sprintf("fc%d", i+6))
		if out != 1000 {
			c.dropout()
		}
		c.linear(out)
		if out != 1000 {
			c.relu()
		}
		c.end()
	}
}

func (c *convolutions) vgg(stages [5]int) {
	for stage, n := range stages {
		for i := range n {
			c.begin(fmt.Sprintf("conv%d_%d", stage+1, i+1))
			c.conv(64<<min(stage, 3), 3, 1, 1, true)
			c.relu()
			if i == n-1 {
				c.pool(2, 2, 0)
			}
			c.end()
		}
	}
	for i, out := range []int64{4096, 4096, 1000} {
		c.begin(fmt.Sprintf("fc%d", i+6))
		c.linear(out)
		if out != 1000 {
			c.relu()
			c.dropout()
		}
		c.end()
	}
}

func (c *convolutions) resnet(r residual) {
	c.begin("stem")
	c.conv(64, 7, 2, 3, false)
	c.norm(true)
	c.relu()
	c.pool(3, 2, 1)
	c.end()
	for stage, n := range r.blocks {
		width, out := r.width<<stage, int64(64)<<stage
		if r.bottleneck {
			out *= 4
		}
		for i := range n {
			stride := int64(1)
			if stage > 0 && i == 0 {
				stride = 2
			}
			c.begin(fmt.Sprintf("layer%d.%d", stage+1, i))
			from := c.at
			if r.bottleneck {
				c.conv(width, 1, 1, 0, false)
				c.norm(true)
				c.relu()
				c.conv(width, 3, stride, 1, false)
				c.norm(true)
				c.relu()
				c.conv(out, 1, 1, 0, false)
			} else {
				c.conv(out, 3, stride, 1, false)
				c.norm(true)
				c.relu()
				c.conv(out, 3, 1, 1, false)
			}
			c.norm(true)
			if i == 0 && (stride > 1 || from.channels != out) {
				to := c.at
				c.at = from
				c.conv(out, 1, stride, 0, false)
				c.norm(false)
				c.at = to
			}
			// The sum takes the place of its first operand; the gradient of both is its own,
			// and the two that reach the block's input are added.
			s := c.count(c.at)
			c.add(c.move(3*s, 3*c.count(from)))
			c.relu()
			c.end()
		}
	}
	c.begin("head")
	c.average(1)
	c.linear(1000)
	c.end()
}
