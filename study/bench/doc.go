// Package bench measures JigSaw, and other solvers beside it, on generated
// instances.
//
// A [Row] names one instance: a size, a regime, an objective and a seed.
// [Generate] makes it, always the same. [Measure] plans it. The command
// study/bench/cmd/bench does so in a separate process, so that time and peak
// memory are those of that row, and appends a [Record] to a file of JSON Lines.
// [Table] condenses such files to medians over seeds.
//
// # Regimes
//
// Let W_j be the GPU ticks of the cheapest iteration that job j's SPB rule
// allows, l_j the shortest length of its iterations, R_j their number, r_j its
// release and m the number of GPUs. The chain of j is r_j + R_j l_j and the
// area is sum R_j W_j / m. For a periodic objective the density is sum W_j/l_j
// / m: the share of the GPUs that all jobs together would keep busy if none of
// them ever waited.
//
//	area      the area is above every chain; density well above 1
//	chain     the longest chain is above the area; density below 0.8. At most two jobs
//	          for every five GPUs, whatever the size says
//	crossing  the area and the longest chains differ by 5 % at most; density near 1
//	network   what has to pass the NICs takes longer than chain and area; periodic: the
//	          NICs are asked for 1.6 times what they can do, a third more than the GPUs
//	planted   the optimum is known by construction; see [Case.Optimum]
//	long      of the sizes whose jobs run for hours, which have no other; see drawing.long
//
// Instances of the same size, regime and seed have the same jobs for makespan
// and weighted completion.
package bench
