//go:build !first

package main

import "jigsaw/wasm/api"

// The whole of JigSaw.
func newAPI() *api.API   { return api.New(openDatabase) }
func build() api.Version { return api.Build() }
