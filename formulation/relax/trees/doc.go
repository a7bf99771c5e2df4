// Package trees checks trees of cases: that the leaves cover all schedules, and that each leaf holds
// none better than the bound, by prices of its columns program, by prices of what GPUs hold, or by
// orders of tasks.
package trees
