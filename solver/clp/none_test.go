//go:build !cgo || noclp || js

package clp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A build without CLP compiles, says so, and says how to mend it.
func TestUnavailable(t *testing.T) {
	t.Parallel()
	require.False(t, Available())
	_, err := New()
	require.ErrorIs(t, err, ErrUnavailable)
	_, err = NewOneShot()
	require.ErrorIs(t, err, ErrUnavailable)
	require.ErrorContains(t, err, "coinor-libclp-dev")
}
