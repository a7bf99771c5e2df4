// Package packing solves the packing program of package relax/packing by column generation over the
// configurations of GPUs.
package packing
