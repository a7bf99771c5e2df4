// Package profiles reads layer profiles of training jobs: the shipped library,
// files in the project's own format, and the profile files of other projects.
//
// A profile is an [instance.Profile]: per layer l = 1..L, in the order of the
// forward pass, a forward time and a backward time (ns), parameter bytes and
// the bytes kept from the forward pass for the backward pass. Joined marks the
// layers a depth may not begin at.
//
// # Own format
//
// JSON, one envelope per file, read by [Decode] and written by [Encode]:
//
//	{"version":1,"profiles":[{"model":"vgg16","gpu":"v100","batch":128,"layers":[...]}]}
//	{"version":1,"profile":{...}}
//
// Times are texts such as "1.318ms", sizes such as "262144B" or "256KiB";
// unknown fields are refused.
//
// # From a graph to layers
//
// PipeDream and dnn-partitioning give a graph of nodes. Layers are its nodes,
// less those that are not steps of the computation:
//   - inputs (PipeDream's Input nodes, whose time is data loading, and sources
//     that cost nothing) and sizes (Size) are dropped, and so are the edges from
//     them: no gradient flows along those;
//   - views (View, Transpose, __getitem__ with no time and no parameters) become
//     one with the node they look at.
//
// Order. From the last node of the longest path, nodes are listed after all
// their inputs, and the input that ends the longer path comes first. So the
// branches of a block follow each other without a gap, a projection on a skip
// connection comes just before the addition that takes it, and a second source
// (the decoder's embedding) comes just before its reader instead of at the
// front. Ties go to the smaller node id. Further ends of the graph, such as the
// auxiliary classifier of Inception, follow the node they hang on; a worker
// whose depth does not reach such a head does not train it.
//
// Cuts. The order can be cut before a layer if all edges from the layers above
// the cut to layers below it leave one single node: one module's output
// crosses, and nothing else. All other layers are Joined. So are
//   - in-place operations with the node whose output they overwrite, because
//     the bytes they need are booked there;
//   - modules whose backward time the profiler booked further up (below), with
//     all layers up to the nearest one that has backward time.
//
// # PipeDream graph.txt
//
//	node7 -- LSTM(2048, 1024) -- forward_compute_time=3.190, backward_compute_time=5.348, activation_size=[6291456.0; 131072.0; 131072.0], parameter_size=50364416.000
//		node6 -- node7
//
// Times are ms with three decimals and become exact ns. They are wall-clock
// times with a device synchronisation after each module, so their sum is above
// the time of an undisturbed iteration. Sizes are bytes at four bytes per
// number; a list is summed. activation_size is the size of a node's output. A
// layer's activations are
//
//	0                 for in-place operations (ReLU(inplace), Add(inplace)), views and sizes,
//	activation_size   for all others,
//
// that is, one copy of each tensor that is written. Not in the source and not
// counted: indices of pooling, masks of dropout, the reserve space of recurrent
// layers, what modules with parts keep inside. Counted although autograd may
// free it early: the output of a normalisation that feeds an addition. Hence
//
//	sum of activations = sum of activation_size - inputs - sizes - in-place - views
//
// and forward (less inputs), backward and parameters equal the file's sums
// exactly.
//
// The profiler's hook for the end of a backward pass sees the last operation of
// a module only. For a module with parts (a description with named parts, such
// as "Classifier(  (classifier): Linear(...))") most of its backward time is
// therefore booked on a module further up: in GNMT the classifier's 10 ms stand
// on the LSTM before it. The sum is right; a cut between the two would not be.
//
// # DeepPool .prof
//
//	conv2d{"in_channels":64,"kernel_size":3,"out_channels":128,"padding":1,"stride":1}[64][64,112,112]   1.957      1956         7
//
// Operation, settings, batch, input shape without the batch, total ms, forward
// us, backward us; a line SUM(avg) ends a batch. Keys repeat, so only the order
// counts, and rows must form a chain: each row's input is the output of the row
// above. The profiler does not wait for the backward kernels of convolutions
// and linear layers; the in-place ReLU below carries their time. So such a pair
// is one layer. The backward time of a last linear layer, with no row below it,
// is missing in the source. Forward and backward sums per batch equal the sums
// of the source's columns. Times in the column of totals and the SUM lines are
// not used.
//
// The file has no byte columns. They are derived from settings and shapes, at
// four bytes per number:
//
//	conv2d              parameters out*(in/groups)*k*k + out; keeps its output
//	linear              parameters out*in + out; keeps its output
//	max and avg pools   keep their output
//	ReLU after a convolution or linear layer   keeps nothing more
//	flatten             a view, keeps nothing
//	ResnetBottleneck    the convolutions and batch norms of its source code
//	                    (examples/wrn.py, as in torchvision, no biases); keeps
//	                    the output of each convolution, of the two inner ReLUs
//	                    and of the last one
//
// What a block passes on is its last ReLU's output alone, stated as the layer's output.
// A bias is counted for every convolution outside bottlenecks, as is PyTorch's
// default, because the file does not say.
//
// # dnn-partitioning JSON
//
// Nodes with fpgaLatency (ms on the accelerator, a GPU in the layer graphs),
// size (bytes), isBackwardNode, and colorClass, which pairs a forward node with
// its backward node; edges with the size of the tensor that crosses. Only
// layer graphs for training are read: one forward and one backward node in each
// colour. In the layer graphs, size is parameters plus output (compared
// with the PipeDream profiles that the same authors converted, on five nodes of
// ResNet-50 and three of Inception-v3: equal), so
//
//	activations = size of the edges that leave the forward node (of the edges
//	              into its backward node, if it is an output)
//	parameters  = size - activations
//	sum of size over forward nodes = parameters + activations + inputs + views + in-place
//
// Nodes have no descriptions, so what they are is known by their figures:
//   - inputs are sources without parameters and without backward time, whatever
//     forward time they have: it is data loading; and sizes of tensors, which take
//     no time and at most 8 bytes;
//   - views take no time, have no parameters, and nobody reads them, or they read one
//     tensor and are no larger;
//   - in-place operations have no parameters and an output of the size of everything
//     they read, and at least one module with parameters among that, such as the
//     normalisation before an activation function, or another such operation, where
//     one of the two is a sum. No module with parts may be overwritten: one
//     with parameters whose backward time is less than a 32nd of its forward time;
//   - a module whose backward time stands further up has parameters, and its
//     backward time is less than a quarter of its forward time.
//
// On PipeDream's graphs, whose nodes have descriptions, the first three find what these say
// (TestKindsByFigures); they would take a dropout right after a single convolution for one
// in place.
//
// # Kineto traces
//
// What torch.profiler writes, of one worker: calls of modules on the host, operations, functions of
// the backward pass, allocations; of a GPU launches and kernels, each kernel with the number of its launch.
// The model is the outermost module that takes longest; each of its calls is an iteration, and figures
// are medians, of two the lower one. Layers are the parts of the module with the most parts of one class (a
// Sequential's parts count as its caller's), and what its callers call beside it. A layer lasts from its first call to the next layer's.
//
//	forward      outermost operations until the first function of the backward pass, or the
//	             kernels launched by then
//	backward     the same, of functions with the sequence number of an operation of the layer; those without
//	             one go with the function before
//	parameters   shapes of the gradients accumulated (AccumulateGrad), where they are accumulated: frozen
//	             ones have none, and tied ones count where they are deepest
//	activations  what was allocated in the layer's forward pass and not freed when the backward pass begins
//
// So one copy of each tensor that is kept counts, where it was made: an input of the model, made
// before, does not. A layer that keeps nothing and has no parameters works in place or is a view, and is
// Joined. Refused are traces of several workers, CUDA graphs (kernels of many layers have one launch), and checkpointing.
//
// # The library
//
// The files under library/ are written from the sources by
//
//	go test ./formulation/instance/profiles -run TestLibraryMatchesSources -update
//
// which looks for the sources in $JIGSAW_DATA, or in shared/data beside one of
// the directories above. Each profile carries its source.
package profiles
