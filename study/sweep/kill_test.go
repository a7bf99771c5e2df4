package sweep_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// killedFile names the file that the child of [killedAtAnyMoment] works on.
const killedFile = "JIGSAW_TEST_KILLED_STUDY"

// TestChild is the process to be killed.
func TestChild(t *testing.T) {
	name := os.Getenv(killedFile)
	if name == "" {
		t.Skip("it is run by TestStudy")
	}
	db, err := store.Create(name)
	require.NoError(t, err)
	_, err = sweep.Run(context.Background(), decode(t, tiny), db, sweep.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

// killedAtAnyMoment kills a study with SIGKILL at random moments and starts it
// again, until it is complete: no committed row is lost or planned again, and
// the table is that of an undisturbed run. A study that completes is restarted
// until there were enough kills.
func killedAtAnyMoment(t *testing.T, study *sweep.Study, whole *store.Store) {
	kills := 50
	if testing.Short() {
		kills = 5
	}
	want, err := whole.Rows()
	require.NoError(t, err)

	rng := rand.New(rand.NewPCG(1, 2))
	midway := 0
	for killed := 0; killed < kills; {
		name := filepath.Join(t.TempDir(), "killed.db")
		started := map[string]string{} // when each row was made
		for {
			child := exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.count=1")
			child.Env = append(os.Environ(), killedFile+"="+name)
			require.NoError(t, child.Start())
			ended := make(chan error, 1)
			go func() { ended <- child.Wait() }()
			complete := false
			var kill <-chan time.Time // never, once there were enough
			if killed < kills {
				kill = time.After(time.Duration(rng.IntN(1000)) * time.Millisecond)
			}
			select {
			case err := <-ended:
				require.NoError(t, err)
				complete = true
			case <-kill:
				require.NoError(t, ignoreDone(child.Process.Kill()))
				<-ended
				killed++
			}
			db, err := store.Create(name)
			require.NoError(t, err)
			rows, err := db.Rows()
			require.NoError(t, err)
			for key, row := range rows {
				require.Contains(t, want, key)
				require.Equal(t, want[key].Parameters, row.Parameters)
				require.Equal(t, want[key].Outcome, row.Outcome)
				if at, ok := started[key]; ok {
					require.Equal(t, at, row.Started, "a cell was planned again")
				}
				started[key] = row.Started
			}
			for key := range started {
				require.Contains(t, rows, key, "a committed row was lost")
			}
			if len(rows) > 0 && len(rows) < len(want) {
				midway++
			}
			if complete {
				assert.Equal(t, table(t, study, whole), table(t, study, db))
			}
			require.NoError(t, db.Close())
			if complete {
				break
			}
		}
	}
	t.Logf("%d kills, %d of them with part of the rows committed", kills, midway)
	if !testing.Short() {
		assert.Positive(t, midway)
	}
}

func ignoreDone(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
