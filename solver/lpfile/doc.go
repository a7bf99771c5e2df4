// Package lpfile writes programs to the files that other solvers read, and
// reads their solutions back.
//
//	format  writer     reader        solvers
//	MPS     [WriteMPS]               CBC, HiGHS, SCIP, Gurobi, CPLEX, CLP, GLPK
//	LP      [WriteLP]                CBC, HiGHS, SCIP, Gurobi, CPLEX
//	SOL                [ReadSolution] of CBC, HiGHS, SCIP and Gurobi
//
// MPS files are free: fields are separated by blanks, names have no blanks and
// may be longer than eight characters. Numbers are written with as many digits as it takes to read them back exactly.
//
// Names in files are those of [Names]: letters, digits, '_' and '.', the same
// in every format, so that a solution finds its way back ([Solution.Vector]).
//
// Readers report the line of a fault, and the first fault only.
package lpfile
