// Package exact holds the numbers of the kernel: rounding, products that stay recognisable where they
// are too large, marks for what cannot be, minima of ranges.
package exact
