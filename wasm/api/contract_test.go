package api

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/whatif"
)

// contract returns the contract without its comments.
func contract(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../site/src/engine/api.ts")
	require.NoError(t, err)
	return regexp.MustCompile(`(?s)/\*\*.*?\*/|//[^\n]*`).ReplaceAllString(string(text), "")
}

// property is a property of an interface of the contract.
type property struct {
	name           string
	optional, null bool
}

// properties returns those of an interface, by name.
func properties(t *testing.T, contract, name string) (list []property) {
	t.Helper()
	_, rest, ok := strings.Cut(contract, "export interface "+name+" {")
	require.True(t, ok, name)
	depth, start := 0, 0
	for i, r := range rest {
		switch {
		case strings.ContainsRune("{(<[", r):
			depth++
		case r == '}' && depth == 0, depth == 0 && (r == '\n' || r == ';'):
			if m := regexp.MustCompile(`(?s)^\s*(\w+)(\??):(.*)$`).FindStringSubmatch(rest[start:i]); m != nil {
				list = append(list, property{m[1], m[2] == "?", strings.HasSuffix(strings.TrimSpace(m[3]), "| null")})
			}
			if start = i + 1; r == '}' {
				slices.SortFunc(list, byName)
				return list
			}
		case strings.ContainsRune("})>]", r):
			depth--
		}
	}
	require.Fail(t, "the interface does not end", name)
	return nil
}

func byName(a, b property) int { return strings.Compare(a.name, b.name) }

// fieldsOf returns the fields of a type, named as in the contract.
func fieldsOf(t *testing.T, of reflect.Type) (list []property) {
	t.Helper()
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Anonymous {
			list = append(list, fieldsOf(t, f.Type)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		require.NotEmpty(t, name, "%v.%s", of, f.Name)
		optional := options == "omitempty"
		list = append(list, property{name, optional, f.Type.Kind() == reflect.Pointer && !optional})
	}
	slices.SortFunc(list, byName)
	return list
}

// The methods are those of the contract, by name.
func TestMethodsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	_, rest, ok := strings.Cut(contract(t), "export interface Methods {\n")
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

// Messages have the fields of the contract: their names, and which may be absent
// or null.
func TestTypesAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	text := contract(t)
	for name, v := range map[string]any{
		"Problem": Problem{}, "Compiled": Compiled{}, "CompiledJob": CompiledJob{}, "Schedule": Schedule{}, "LongPlan": LongPlan{}, "Block": Block{}, "Usage": Usage{},
		"ChainLink": ChainLink{}, "PlanPoint": PlanPoint{}, "PlanOptions": PlanOptions{}, "PlanResult": PlanResult{},
		"Binding": jigsaw.BindingValue{}, "WhatIfChange": WhatIfChange{}, "WhatIfAnswer": WhatIfAnswer{}, "Remedy": Remedy{}, "ResilienceAnswer": ResilienceAnswer{}, "BurstAnswer": BurstAnswer{}, "BurstJob": BurstJob{}, "BackgroundJob": BackgroundJob{}, "MoldAnswer": MoldAnswer{}, "PlanCost": PlanCost{}, "MoldTry": MoldTry{}, "Harm": whatif.HarmDocument{}, "Failure": whatif.Failure{}, "Progress": Progress{},
		"EstimateParams": EstimateParams{}, "EstimateResult": EstimateResult{}, "Architecture": Architecture{}, "Estimate": Estimate{}, "ProfileInfo": ProfileInfo{},
		"Scenario": Scenario{}, "ScenarioHead": ScenarioHead{}, "PlanEvent": PlanEvent{}, "Ready": Ready{},
	} {
		want := properties(t, text, name)
		require.NotEmpty(t, want, name)
		require.Equal(t, want, fieldsOf(t, reflect.TypeOf(v)), name)
	}
}

// The page asks the first core only for methods that it has; it lacks those that go beyond a
// first plan.
func TestFirstMethods(t *testing.T) {
	t.Parallel()
	client, err := os.ReadFile("../../site/src/engine/client.ts")
	require.NoError(t, err)
	m := regexp.MustCompile(`const early: .* = new Set<Method>\(\[(.*)\]\)`).FindSubmatch(client)
	require.NotNil(t, m)
	first := NewFirst()
	for name := range strings.SplitSeq(strings.ReplaceAll(string(m[1]), "'", ""), ", ") {
		require.Contains(t, first.methods, name)
		delete(first.methods, name)
	}
	require.Empty(t, first.methods)
}
