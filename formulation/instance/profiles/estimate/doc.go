// Package estimate works out layer profiles from the architecture of a model, for GPUs and
// models that nobody has measured. Such profiles are marked: [instance.Profile.Estimated]
// says which figures they rest on.
//
// # Costs
//
// A model is a list of layers, a layer a list of operations. An operation does x floating-point
// operations and moves y bytes to and from the GPU's memory, and takes
//
//	max(x / (peak x efficiency of its kind), y / (bandwidth x efficiency), launch)
//
// (the roofline: Williams, Waterman and Patterson, CACM 52(4), 2009). Peak and bandwidth are of
// the data sheet ([GPU]), the efficiencies and the launch fitted to what was measured ([Compare]).
// Kinds are matrix products, convolutions, and all else, which only moves bytes.
//
// A product of m x k by k x n does 2 m k n operations and moves each of its matrices once. Its
// backward pass is two such products. The first layer of a convolutional net needs no gradient of
// its input. Convolutions of 3 x 3 with stride 1 do 1/2.25 of their multiplications where there are no
// tensor cores (Winograd's F(2x2,3x3): Lavin and Gray, arXiv 1509.09308). Attention of b sequences of s tokens with a heads of size d does 4 p a d operations
// for p = b s^2 pairs of tokens, and where it is causal and fused, half of them (with a window of w
// tokens p = b (s w - w^2/2)); fused attention works its scores out again in the backward pass:
// 5 products for 2.
//
// A token's row goes to each of the experts that it meets; rows are dealt out evenly, and the products of an expert are one each. All experts'
// weights are moved, and gathering and weighing rows moves each twice. In latent attention (DeepSeek-V2, arXiv 2405.04434) keys and values are
// worked out in full, as they are in training. Useful operations count the parameters that a token meets.
//
// Where g GPUs share every layer (tensor and sequence parallel: Shoeybi et al., arXiv 1909.08053, and Korthikanti et al.) peak and
// bandwidth are g times as much, and a block adds up two tensors of the tokens' width forward and two backward, by rings: 2 (g-1)/g of
// their bytes over what a GPU sends to others of its node, with nothing hidden.
//
// # Memory
//
// Parameters are counted one by one and equal the published counts. Tied matrices count once, at the
// embedding, whose gradient is whole only when the backward pass gets there. What a layer keeps for its
// backward pass are the inputs of its products, norms and activation functions, each tensor once;
// with checkpointing, its input alone, while the workspace holds what the largest layer keeps. For GPT-2
// with dropout that is 34 s b h bytes a layer in 16 bit, and 5 a s^2 b more where attention is not
// fused (Korthikanti et al., arXiv 2205.05198, section 4.1). Norms, activation functions and
// dropouts are taken as fused operations. The loss is worked out in 32 bit.
//
// Not in an estimate: the optimizer's step, the loading of data, fragmentation of memory, and what compilers make of a model.
package estimate
