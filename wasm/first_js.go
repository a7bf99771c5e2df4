//go:build first

package main

import "jigsaw/wasm/api"

// The methods for a page's first plan.
func newAPI() *api.API   { return api.NewFirst() }
func build() api.Version { return api.Version{} }
