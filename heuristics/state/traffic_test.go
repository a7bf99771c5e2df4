package state

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestTraffic: there is room for another synchronisation at the first tick at which those that have not ended leave enough of its links.
func TestTraffic(t *testing.T) {
	waited := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		in := instancetest.Random(rng, instancetest.Options{})
		traffic := NewTraffic(in)
		type transfer struct {
			end  instance.Tick
			uses []instance.LinkUse
			rate instance.Rate
		}
		running := map[int32]transfer{}
		load := func(l instance.LinkID, at instance.Tick) (sum instance.Rate) {
			for _, y := range running {
				for _, u := range y.uses {
					if u.Link == l && y.end > at {
						sum += y.rate * instance.Rate(u.Times)
					}
				}
			}
			return sum
		}
		for job := range int32(20) {
			l := instance.LinkID(rng.IntN(len(in.Links)))
			uses := []instance.LinkUse{{Link: l, Times: 1 + rng.IntN(2)}}
			rate := in.Capacity(l) / instance.Rate(2+rng.IntN(3))
			at := instance.Tick(0)
			for load(l, at)+rate*instance.Rate(uses[0].Times) > in.Capacity(l) {
				at++
			}
			require.Equal(t, at, traffic.RoomAt(0, uses, rate))
			if at > 0 {
				waited++
				for other, y := range running {
					if rng.IntN(2) == 0 {
						traffic.End(other, y.uses)
						delete(running, other)
					}
				}
				continue
			}
			running[job] = transfer{instance.Tick(1 + rng.IntN(9)), uses, rate}
			traffic.Begin(job, uses, rate, running[job].end)
			require.Equal(t, load(l, 0), traffic.Load[l])
		}
		traffic.Clear()
		for _, sum := range traffic.Load {
			require.Zero(t, sum)
		}
	}
	require.Positive(t, waited)
}
