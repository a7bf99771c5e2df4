// Package boundtest has small instances and engines, for tests of bounds.
package boundtest
