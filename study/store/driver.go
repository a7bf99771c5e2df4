//go:build !js

package store

import _ "modernc.org/sqlite" // the driver "sqlite", which the browser lacks
