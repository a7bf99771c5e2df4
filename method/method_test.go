package method

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	s, err := Parse(nil)
	require.NoError(t, err)
	assert.False(t, s[Lanes])
	assert.Empty(t, s.String())

	s, err = Parse([]string{"lanes", "balance", "lanes"})
	require.NoError(t, err)
	assert.True(t, s[Lanes])
	assert.False(t, s[Exchange])
	assert.Equal(t, "balance,lanes", s.String())

	_, err = Parse([]string{"lanes", "lane"})
	require.ErrorContains(t, err, `method: unknown "lane"; known are `)
	for _, m := range All() {
		assert.ErrorContains(t, err, string(m.Name))
		assert.NotEmpty(t, m.What)
	}
}
