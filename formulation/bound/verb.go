package bound

import (
	"slices"
	"strings"
)

// Verb returns the verb that agrees with its subject in number: "the GPU
// limits", "the 4 GPUs limit".
func Verb(subject string) string {
	words := strings.Fields(subject)
	if len(words) > 1 && words[0] == "the" &&
		(words[1][0] >= '0' && words[1][0] <= '9' || slices.Contains([]string{"uplinks", "NICs", "fabrics"}, words[1])) {
		return "limit"
	}
	return "limits"
}
