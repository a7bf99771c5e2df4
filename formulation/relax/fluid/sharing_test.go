package fluid

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCompanies counts multisets.
func TestCompanies(t *testing.T) {
	assert.Equal(t, [][]int{{0}, {0, 0}, {0, 1}, {1}}, coResidentSets([]int{2, 1}, 2, 10))
	assert.Len(t, coResidentSets([]int{1, 1, 1, 1}, 4, 100), 15)
	assert.Len(t, coResidentSets([]int{3}, 2, 100), 2)
	assert.Nil(t, coResidentSets([]int{1, 1, 1, 1}, 4, 14))
}
