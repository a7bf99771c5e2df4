// Package cli holds what the commands of jigsaw share: the flags for an instance, a run and the output
// destination; reading and writing files; streams, signals, progress, and errors with exit codes.
package cli
