//go:build !js

package store

import _ "modernc.org/sqlite" // the driver "sqlite", not available in the browser
