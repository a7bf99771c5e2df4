// Package verify checks certificates of every kind from the instance alone.
package verify
