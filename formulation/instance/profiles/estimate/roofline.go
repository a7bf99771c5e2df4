package estimate

// Efficiency is which part of a peak is reached, by kind of operation.
type Efficiency struct {
	Products, Convolutions, Memory float64
	// BatchNorms is the part of the bandwidth that batch normalisation reaches.
	BatchNorms float64
}

// calibration is what was fitted to measurements.
type calibration struct {
	// efficiencies by the GPU that was measured.
	efficiencies map[string]Efficiency
	// launch is the least that an operation takes, in seconds; twice that backward, where most are two.
	launch float64
}

// fitted is the calibration: each figure is the one with the least sum of squared logarithms
// of estimate over measurement, in hundredths and in whole microseconds (TestCalibrationIsFitted):
//
//   - v100, without tensor cores: convolutions of PipeDream's VGG-16, ResNet-50, ResNet-101 and
//     AlexNet; products of BERT-24 (library/bert24.json);
//   - a100: convolutions of DeepPool's VGG-16 and WRN-101-2 at batch sizes of 32 and more, products of
//     seven MPT models;
//   - h100: products of five MPT models and of the six transformers that the library measured; convolutions of
//     its VGG-16 and batch norms of its ResNets, in bf16 and PyTorch's usual order of dimensions;
//   - launch: DeepPool's nets at batch sizes of 16 and less.
//
// Memory is from ReLUs of VGG-16, which do nothing else: PipeDream's move 3.29 GB in 4.45 ms, 0.82 of 900 GB/s;
// the library's on the H100 as much in 1.09 ms, 0.90 of 3350 GB/s.
func fitted() calibration {
	return calibration{
		efficiencies: map[string]Efficiency{
			"v100": {0.75, 0.52, 0.82, 0.82},
			"a100": {0.58, 0.43, 0.82, 0.82},
			"h100": {0.45, 0.24, 0.90, 0.20},
		},
		launch: 24e-6,
	}
}

// efficiency of a precision on the GPU, and on which GPU it was measured.
func (c *calibration) efficiency(g GPU, p Precision) (Efficiency, string) {
	like := g.like
	if p == FP32 {
		like = "v100"
	}
	return c.efficiencies[like], like
}

// roofline gives times: FLOP/s, byte/s.
type roofline struct {
	peak, bandwidth float64
	efficiency      Efficiency
	launch          float64 // seconds
	gpus            float64 // that share every layer
	fabric          float64 // byte/s between them, each way
}

// layer returns seconds.
func (r roofline) layer(l *layer) (forward, backward float64) {
	for _, o := range l.operations {
		peak := r.gpus * r.peak * r.efficiency.Products
		if o.kind == convolution {
			peak = r.gpus * r.peak * r.efficiency.Convolutions
		}
		bandwidth := r.gpus * r.bandwidth * r.efficiency.Memory
		if o.kind == batchNorm {
			bandwidth = r.gpus * r.bandwidth * r.efficiency.BatchNorms
		}
		forward += max(o.flops/peak, o.bytes/bandwidth, r.launch)
		backward += max(o.backFlops/peak, o.backBytes/bandwidth, 2*r.launch)
	}
	ring := 2 * (r.gpus - 1) / r.gpus / r.fabric // seconds a byte
	return forward + ring*float64(l.reduced), backward + ring*float64(l.backReduced)
}

// iteration returns the seconds of all layers, both ways.
func (r roofline) iteration(n *network) (total float64) {
	for i := range n.layers {
		forward, backward := r.layer(&n.layers[i])
		total += forward + backward
	}
	return total
}
