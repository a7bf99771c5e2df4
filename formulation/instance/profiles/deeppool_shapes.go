package profiles

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// width is bytes per number. The A100 convolutions of the source run at 43
// Tflop/s, above the 19.5 of FP32: TF32, which computes in fewer bits but keeps
// tensors in four bytes.
const width = 4

// shape is a tensor's shape without the batch: channels, height, width, or
// features only (h = w = 0).
type shape struct{ c, h, w int64 }

func parseShape(s string) (shape, error) {
	malformed := fmt.Errorf("input shape %q is not \"[c,h,w]\" or a number", instance.Clip(s))
	dims := strings.Split(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"), ",")
	if (len(dims) == 3) != (strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]")) {
		return shape{}, malformed
	}
	var v [3]int64
	if len(dims) != 1 && len(dims) != 3 {
		return shape{}, malformed
	}
	for i, d := range dims {
		n, err := strconv.ParseInt(d, 10, 64)
		if err != nil || n < 1 || n > 1<<24 {
			return shape{}, malformed
		}
		v[i] = n
	}
	return shape{v[0], v[1], v[2]}, nil
}

func (s shape) flat() bool { return s.h == 0 }

func (s shape) String() string {
	if s.flat() {
		return fmt.Sprint(s.c)
	}
	return fmt.Sprintf("[%d,%d,%d]", s.c, s.h, s.w)
}

// equal treats [c,1,1] as c features.
func (s shape) equal(t shape) bool {
	norm := func(s shape) shape { return shape{s.c, max(s.h, 1), max(s.w, 1)} }
	return norm(s) == norm(t)
}

// deepPoolCosts is what settings and input shape tell of an operation.
type deepPoolCosts struct {
	out                     shape
	parameters, activations instance.Bytes
	passed                  instance.Bytes // to the next layer, where that is not the activations
	relu                    bool
}

// tally multiplies and adds sizes and remembers whether one was not positive
// or too large.
type tally struct{ bad bool }

func (t *tally) mul(factors ...int64) int64 {
	p := int64(1)
	for _, f := range factors {
		if f < 1 || p > maxQuantity/f {
			t.bad = true
			return 0
		}
		p *= f
	}
	return p
}

// window is the output length of a convolution or pooling along one axis.
func (t *tally) window(in, kernel, stride, padding, dilation int64) int64 {
	for _, v := range []int64{kernel, stride, dilation} {
		if v < 1 || v > 1<<16 {
			t.bad = true
			return 0
		}
	}
	span := in + 2*padding - dilation*(kernel-1) - 1
	if padding < 0 || padding > 1<<16 || span < 0 {
		t.bad = true
		return 0
	}
	return span/stride + 1
}

func (t *tally) tensor(batch int, s shape) instance.Bytes {
	return instance.Bytes(t.mul(int64(batch), s.c, max(s.h, 1), max(s.w, 1), width))
}

// convolution returns the bytes of a convolution's weights, and of its bias if any.
func (t *tally) convolution(in, out, kernel, groups int64, bias bool) instance.Bytes {
	if groups < 1 || in%groups != 0 {
		t.bad = true
		return 0
	}
	p := t.mul(out, in/groups, kernel, kernel, width)
	if bias {
		p += t.mul(out, width)
	}
	return instance.Bytes(p)
}

// norm returns the bytes of a batch norm's scale and shift.
func (t *tally) norm(channels int64) instance.Bytes {
	return instance.Bytes(t.mul(channels, 2, width))
}

// deepPoolCost derives output shape and bytes of a row.
func deepPoolCost(row deepPoolRow) (deepPoolCosts, error) {
	var c deepPoolCosts
	var t tally
	var err error
	switch row.op {
	case "conv2d":
		c, err = t.conv2d(row)
	case "linear":
		c, err = t.linear(row)
	case "maxPool2d", "avgPool2d":
		c, err = t.pool(row)
	case "adAvgPool2d":
		c, err = t.adaptivePool(row)
	case "ReLU1d", "ReLU2d":
		c = deepPoolCosts{out: row.in, relu: true}
	case "flatten":
		c.out = shape{c: t.mul(row.in.c, max(row.in.h, 1), max(row.in.w, 1))}
	case "ResnetBottleneck":
		c, err = t.bottleneck(row)
	default:
		err = fmt.Errorf("operation is unknown; known are conv2d, linear, maxPool2d, avgPool2d, adAvgPool2d, ReLU1d, ReLU2d, flatten and ResnetBottleneck")
	}
	if err == nil && (t.bad || c.parameters > maxQuantity || c.activations > maxQuantity) {
		err = errSize
	}
	return c, err
}

func (t *tally) conv2d(row deepPoolRow) (c deepPoolCosts, err error) {
	s := struct {
		In       int64 `json:"in_channels"`
		Out      int64 `json:"out_channels"`
		Kernel   int64 `json:"kernel_size"`
		Padding  int64 `json:"padding"`
		Stride   int64 `json:"stride"`
		Groups   int64 `json:"groups"`
		Dilation int64 `json:"dilation"`
	}{Groups: 1, Dilation: 1}
	if err = decodeSettings(row.settings, &s); err != nil {
		return
	}
	if row.in.flat() || s.In != row.in.c {
		return c, fmt.Errorf("in_channels %d, but the input shape is %v", s.In, row.in)
	}
	c.out = shape{s.Out, t.window(row.in.h, s.Kernel, s.Stride, s.Padding, s.Dilation), t.window(row.in.w, s.Kernel, s.Stride, s.Padding, s.Dilation)}
	c.parameters = t.convolution(s.In, s.Out, s.Kernel, s.Groups, true)
	c.activations = t.tensor(row.batch, c.out)
	return
}

func (t *tally) linear(row deepPoolRow) (c deepPoolCosts, err error) {
	var s struct {
		In   int64 `json:"in_features"`
		Out  int64 `json:"out_features"`
		Bias bool  `json:"bias"`
	}
	if err = decodeSettings(row.settings, &s); err != nil {
		return
	}
	if !row.in.flat() || s.In != row.in.c {
		return c, fmt.Errorf("in_features %d, but the input shape is %v", s.In, row.in)
	}
	c.out = shape{c: s.Out}
	c.parameters = t.convolution(s.In, s.Out, 1, 1, s.Bias)
	c.activations = t.tensor(row.batch, c.out)
	return
}

func (t *tally) pool(row deepPoolRow) (c deepPoolCosts, err error) {
	var s struct {
		Kernel  int64 `json:"kernel_size"`
		Padding int64 `json:"padding"`
		Stride  int64 `json:"stride"`
	}
	if err = decodeSettings(row.settings, &s); err != nil {
		return
	}
	c.out = shape{row.in.c, t.window(row.in.h, s.Kernel, s.Stride, s.Padding, 1), t.window(row.in.w, s.Kernel, s.Stride, s.Padding, 1)}
	c.activations = t.tensor(row.batch, c.out)
	return
}

func (t *tally) adaptivePool(row deepPoolRow) (c deepPoolCosts, err error) {
	var s struct {
		Height int64 `json:"output_height"`
		Width  int64 `json:"output_width"`
	}
	if err = decodeSettings(row.settings, &s); err != nil {
		return
	}
	c.out = shape{row.in.c, t.mul(s.Height), t.mul(s.Width)}
	c.activations = t.tensor(row.batch, c.out)
	return
}

// bottleneck sizes a block of a residual network as in torchvision: 1x1, 3x3
// (with stride), 1x1 convolution, each with a batch norm, and a 1x1 convolution
// with batch norm on the skip connection if it changes the shape. Reference: He
// et al., Deep residual learning for image recognition, 2015, figure 5;
// Zagoruyko and Komodakis, Wide residual networks, 2016, for the width.
func (t *tally) bottleneck(row deepPoolRow) (c deepPoolCosts, err error) {
	s := struct {
		BaseWidth  int64           `json:"base_width"`
		Dilation   int64           `json:"dilation"`
		Groups     int64           `json:"groups"`
		Inplanes   int64           `json:"inplanes"`
		Planes     int64           `json:"planes"`
		Stride     int64           `json:"stride"`
		Downsample json.RawMessage `json:"downsampleParams"`
	}{Stride: 1}
	if err = decodeSettings(row.settings, &s); err != nil {
		return
	}
	if row.in.flat() || s.Inplanes != row.in.c {
		return c, fmt.Errorf("inplanes %d, but the input shape is %v", s.Inplanes, row.in)
	}
	const expansion = 4
	inner := t.mul(s.Planes, s.BaseWidth, s.Groups) / 64
	outer := t.mul(s.Planes, expansion)
	// The 3x3 convolution pads by its dilation.
	c.out = shape{outer,
		t.window(row.in.h, 3, s.Stride, s.Dilation, s.Dilation),
		t.window(row.in.w, 3, s.Stride, s.Dilation, s.Dilation)}
	c.parameters = t.convolution(s.Inplanes, inner, 1, 1, false) + t.norm(inner) +
		t.convolution(inner, inner, 3, s.Groups, false) + t.norm(inner) +
		t.convolution(inner, outer, 1, 1, false) + t.norm(outer)
	// Outputs of the first convolution and its ReLU, before the stride; of the
	// second and its ReLU; of the third and the last ReLU.
	first := t.tensor(row.batch, shape{inner, row.in.h, row.in.w})
	second := t.tensor(row.batch, shape{inner, c.out.h, c.out.w})
	third := t.tensor(row.batch, c.out)
	c.activations = 2*first + 2*second + 2*third
	c.passed = third
	if len(s.Downsample) > 0 && string(s.Downsample) != "null" {
		// [[in, out, stride], out]
		var conv [3]int64
		var norm int64
		pair := []any{&conv, &norm}
		if err = json.Unmarshal(s.Downsample, &pair); err != nil || len(pair) != 2 {
			return c, fmt.Errorf("downsampleParams %q is not [[in, out, stride], out]", instance.Clip(string(s.Downsample)))
		}
		if conv != [3]int64{s.Inplanes, outer, s.Stride} || norm != outer {
			return c, fmt.Errorf("downsampleParams %q do not fit inplanes %d, %d outputs and stride %d", instance.Clip(string(s.Downsample)), s.Inplanes, outer, s.Stride)
		}
		c.parameters += t.convolution(s.Inplanes, outer, 1, 1, false) + t.norm(outer)
		c.activations += third
	} else if s.Inplanes != outer || s.Stride != 1 {
		return c, fmt.Errorf("%d channels in, %d out, stride %d: the skip connection needs downsampleParams", s.Inplanes, outer, s.Stride)
	}
	return
}
