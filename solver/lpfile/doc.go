// Package lpfile writes programs as files for other solvers, and reads their
// solutions back.
//
//	format  writer     reader        solvers
//	MPS     [WriteMPS]               CBC, HiGHS, SCIP, Gurobi, CPLEX, CLP, GLPK
//	LP      [WriteLP]                CBC, HiGHS, SCIP, Gurobi, CPLEX
//	SOL                [ReadSolution] of CBC, HiGHS, SCIP and Gurobi
//
// MPS files have the free format: fields are separated by blanks, names have no
// blanks and may be longer than eight characters. Numbers are written with as
// many digits as it takes to read them back exactly.
//
// Names in files are those of [Names]: letters, digits, '_' and '.', the same
// in every format, so that a solution can be mapped back ([Solution.Vector]).
//
// Readers report the line of the first fault only.
package lpfile
