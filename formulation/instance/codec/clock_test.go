package codec

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseTime(t *testing.T) {
	for _, text := range []string{"2026-11-26T20:00", "2026-11-26 20:00", "2026-11-26T20:00:00", "2026-11-26 20:00:00.000"} {
		at, err := ParseTime(text)
		require.NoError(t, err, text)
		assert.False(t, HasOffset(at), text)
		for offset, seconds := range map[string]int{"Z": 0, "+01:00": 3600, "-03:30": -12600} {
			zoned, err := ParseTime(text + offset)
			require.NoError(t, err, text+offset)
			assert.True(t, HasOffset(zoned), text+offset)
			assert.Equal(t, time.Duration(seconds)*time.Second, at.Sub(zoned), text+offset)
		}
	}
	for _, text := range []string{"", "20:00", "2026-11-26", "2026-13-26T20:00", "2026-11-26T25:00", "2026-11-26T20:00+1", "2026-11-26T20:00 CET"} {
		_, err := ParseTime(text)
		assert.Error(t, err, text)
	}
}
