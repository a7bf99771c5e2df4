package profiler

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Python is a Python that has PyTorch; the test is skipped if there is none. Debian's PyTorch
// belongs to /usr/bin/python3, whatever Python comes first on the path.
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("JIGSAW_PYTHON"), "python3", "/usr/bin/python3"} {
		if name != "" && exec.Command(name, "-c", "import torch").Run() == nil {
			return name
		}
	}
	t.Skip("no Python here has PyTorch: the profiler is not tested; scripts/setup torch installs Debian's")
	return ""
}

func TestModule(t *testing.T) {
	command := exec.Command(python(t), "-m", "unittest", "-v")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "\nOK")
}
