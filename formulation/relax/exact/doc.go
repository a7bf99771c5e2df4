// Package exact holds the number arithmetic of the kernel: rounding, products that stay recognisable
// when they overflow, marks for what is impossible, and range minima.
package exact
