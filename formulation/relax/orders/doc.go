// Package orders states what the orders of tasks on GPUs prove about jobs whose GPUs are decided,
// and looks through all of them to check certificates; see [Problem] and [Examiner]. How such
// proofs are found is in package formulation/tree.
package orders
