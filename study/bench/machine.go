package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Origin says from which sources, where and when a record was made.
type Origin struct {
	Commit  string    `json:"commit"`
	Go      string    `json:"go"`
	Machine Machine   `json:"machine"`
	Started time.Time `json:"started"`
}

// Now is the origin of a record that this program makes now.
func Now() Origin {
	return Origin{commit(), runtime.Version(), thisMachine(), time.Now().UTC().Truncate(time.Second)}
}

// Conditions collects the limits and origins of records, each once, for the head of a table.
type Conditions struct{ limits, commits, machines []string }

// Add adds those of a record.
func (c *Conditions) Add(limit string, o *Origin) {
	add := func(list *[]string, text string) {
		if text != "" && !slices.Contains(*list, text) {
			*list = append(*list, text)
		}
	}
	add(&c.limits, limit)
	add(&c.commits, o.Commit)
	add(&c.machines, o.Machine.String()+", "+o.Go)
}

func (c *Conditions) String() string {
	return fmt.Sprintf("Time limits: %s. Commit %s, on %s.", strings.Join(c.limits, ", "), strings.Join(c.commits, ", "), strings.Join(c.machines, "; "))
}

// Machine is where a record was made.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory"` // bytes
	OS     string `json:"os"`
}

func (m Machine) String() string {
	return fmt.Sprintf("%d cores of %s, %s of memory, %s", m.Cores, m.CPU, bytesText(m.Memory), m.OS)
}

// thisMachine describes the machine; what is unknown stays empty.
func thisMachine() Machine {
	m := Machine{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), OS: runtime.GOOS}
	if name := procField("/proc/cpuinfo", "model name"); name != "" {
		m.CPU = name
	}
	m.Memory = kibibytes(procField("/proc/meminfo", "MemTotal"))
	return m
}

// procField returns the value of the first line "name: value" of a file of /proc.
func procField(file, name string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// kibibytes reads "123 kB", as /proc writes it, in bytes.
func kibibytes(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(text, " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

// peakMemory is the largest resident set of this process so far, 0 if the
// system does not report it.
func peakMemory() int64 { return kibibytes(procField("/proc/self/status", "VmHWM")) }

// resetPeakMemory discards the memory used to generate the instance, if the
// system can (Linux).
func resetPeakMemory() {
	debug.FreeOSMemory()
	if f, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0); err == nil {
		fmt.Fprint(f, "5")
		f.Close()
	}
}

// commit names the version of the sources in the working directory, with
// "-modified" if Go files differ from it. It is "unknown" without git.
func commit() string {
	head, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	name := string(bytes.TrimSpace(head))
	changed, err := exec.Command("git", "status", "--porcelain", "--", "*.go", "go.mod", "go.sum").Output()
	if err != nil || len(bytes.TrimSpace(changed)) > 0 {
		name += "-modified"
	}
	return name
}

// bytesText is an amount of memory in MiB, or GiB above ten of them.
func bytesText(n int64) string {
	if n >= 10<<30 {
		return fmt.Sprintf("%.0f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
}
