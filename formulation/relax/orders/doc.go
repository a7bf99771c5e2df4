// Package orders states what the orders of tasks on GPUs prove about jobs whose GPUs are decided, and
// enumerates these orders; see [Problem] and [Examiner]. A certificate only says which problems prove a
// leaf, so the check enumerates all orders again. Package formulation/tree also searches a few of them,
// to find schedules.
package orders
