// Package view shows schedules: as a Gantt chart ([Gantt]), as a trace for
// Perfetto ([Trace]), as a table ([CSV]) and as figures of use ([Utilisation]).
// Every function is pure: the same instance and schedule give the same bytes.
//
// A schedule need not be valid to be shown, since looking at it is how one
// finds out what is wrong. It must only refer to what the instance has: an
// error names the first task or sync that does not.
//
// Quantities shown:
//
//	span         ticks   makespan, or the period of a periodic plan
//	busy         share   ticks that a GPU computes / span
//	efficiency   share   Schedule.Efficiency
//	link share   share   bytes carried / (capacity x span)
//	height of a sync     rate x crossings of the link / capacity
//
// Names of jobs, nodes and links are hostile input: they are escaped for the
// format, clipped where space is short, and control characters, also those
// that reorder bidirectional text, are replaced.
package view
