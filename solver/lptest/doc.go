// Package lptest is the conformance suite of linear programming engines: [Run]
// solves several hundred seeded programs through the contract of package solver
// and believes nothing an engine says.
//
// Four things decide whether an answer is right, none of them the engine:
//
//   - the optimality conditions, computed from the data by [solver.Check];
//   - certificates: a Farkas ray must prove infeasibility from the data, an
//     unbounded ray must improve without limit;
//   - planted programs, built around a primal and a dual point that meet the
//     optimality conditions (or around a contradiction, or a free descent), so
//     that status and optimum are known by construction, in integers;
//   - gonum's dense simplex, on programs tiny enough for it.
//
// Live models are changed step by step and compared, after each step, with a
// cold solve of the same data. An engine is tested only on what it claims in
// its [solver.Caps].
//
// Every random program comes from a seed that is part of the name of its subtest.
package lptest
