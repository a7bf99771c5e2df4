// Package trees checks trees of cases: that the leaves cover all schedules, and that no schedule in
// a leaf is better than the bound. A leaf is proven by prices of its columns program, by prices of
// what GPUs hold, or by enumerating orders of tasks.
package trees
