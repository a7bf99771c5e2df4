package jigsaw

import "runtime/debug"

// version is that of a packed program: scripts/dist sets it when it links one.
var version string

// Version returns the version of this build: what it was packed as, else the version that
// Go read from the repository, "(devel)" where neither is known.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
