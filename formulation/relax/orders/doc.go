// Package orders states what the orders of tasks on GPUs prove about jobs whose GPUs are decided,
// and looks through them; see [Problem] and [Examiner]. A certificate holds no evidence but which
// problems prove a leaf, so that the check looks through all orders again; package formulation/tree looks
// among few as well, for schedules.
package orders
