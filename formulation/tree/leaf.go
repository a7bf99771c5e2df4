package tree

// warm returns the prices of a leaf for the engine's rows; nil if they belong to
// other groups. Prices past their horizon are 0.
func warm(s *nodeSearch, l *leafProof) []float64 {
	groups := 0
	for g := range s.Groups {
		if s.Groups[g].Capacity > 0 {
			groups++
		}
	}
	if groups == 0 || len(l.Prices) == 0 || len(l.Prices)%groups != 0 {
		return nil
	}
	y, buckets := make([]float64, s.Rows+len(s.Classes)), len(l.Prices)/groups
	first := 0
	for g := range s.Groups {
		if s.Groups[g].Capacity == 0 {
			continue
		}
		factor := float64(s.Groups[g].Capacity*s.Calendar.Width) / s.Unit / float64(l.Scale)
		for b := range min(buckets, s.Calendar.Buckets()) {
			y[s.Row(g, b)] = -float64(l.Prices[first+b]) * factor
		}
		first += buckets
	}
	return y
}
