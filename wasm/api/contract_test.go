package api

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The methods are those of the contract, by name.
func TestMethodsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	contract, err := os.ReadFile("../../site/src/engine/api.ts")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(contract), "export interface Methods {\n")
	require.True(t, ok)
	body, _, ok := strings.Cut(rest, "\n}\n")
	require.True(t, ok)
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^  (\w+): \{ params:`).FindAllStringSubmatch(body, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	require.Equal(t, names, Methods())
}
