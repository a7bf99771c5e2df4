// Package codec reads and writes the files of instances and schedules, strictly: mistakes are
// reported together, each with its line, and the published JSON Schemas say the same.
package codec
