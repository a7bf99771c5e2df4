// Package store keeps the results of a study in one SQLite file, with a row for
// every run that ended and nothing for the others.
//
// A cell of a study is done if and only if its row is committed. Commits are
// synchronous (write-ahead log, synchronous=FULL), so a process that is killed,
// or a machine that loses power, loses only the cells it was working on;
// committed cells are never computed again. A file has one writer at a time,
// which also holds on network file systems, since nothing is shared through
// memory.
//
//	study   one line: the study's file as it was given, and the planner's version
//	run     a line for every cell that is done; see [Row]
//	plan    the schedules of small cells, as compressed JSON, for drawing
//
// [Store.Merge] merges the files of a study's shards. [Write] writes rows as
// CSV or JSON Lines.
package store
