package heuristics

// improve spends the budget that is left on small changes of the incumbent's
// decision, a batch at a time, each drawn at random.
func (p *portfolio) improve() {
}
