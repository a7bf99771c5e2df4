//go:build first

package instance

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSum256IsTheStandardLibrarys(t *testing.T) {
	data := make([]byte, 1<<16)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for n := range 300 {
		require.Equal(t, sha256.Sum256(data[:n]), sum256(data[:n]), "%d bytes", n)
	}
	require.Equal(t, sha256.Sum256(data), sum256(data))
}
