//go:build first

package main

import "jigsaw/wasm/api"

// What a page's first plan takes.
func newAPI() *api.API   { return api.NewFirst() }
func build() api.Version { return api.Version{} }
