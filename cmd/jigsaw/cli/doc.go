// Package cli is what the commands of jigsaw share: the flags of an instance, of a run and of a
// result's destination, reading and writing files, streams, signals, progress, and errors with exit codes.
package cli
