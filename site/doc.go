// Package site serves the built playground, the page in which the planner runs in the
// browser. The page is static: it can be served by any host, and by [Handler].
//
// The page is part of a program built with the tag "site", which `make site` sets after it
// has built the page; else [Files] says that it is missing.
package site
