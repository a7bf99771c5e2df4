package exact

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMultiply(t *testing.T) {
	most := MaxExact + 1
	for _, test := range []struct {
		factors []int64
		want    int64
	}{
		{nil, 1}, {[]int64{3, -4, 5}, -60}, {[]int64{MaxExact, 1}, MaxExact}, {[]int64{1 << 27, 1 << 26}, MaxExact},
		{[]int64{1 << 27, 1 << 27}, most}, {[]int64{1 << 40, 1 << 40, 1 << 40}, most}, {[]int64{-1 << 40, 1 << 40}, -most}, {[]int64{-1 << 40, -1 << 40}, most},
		{[]int64{1 << 40, 1 << 40, 0}, 0}, {[]int64{math.MinInt64, math.MinInt64}, most}, {[]int64{math.MinInt64, 1}, -most}, {[]int64{math.MaxInt64, -1}, -most},
	} {
		assert.Equal(t, test.want, Multiply(test.factors...), "%v", test.factors)
	}
}
