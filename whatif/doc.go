// Package whatif compares plans of an instance with plans of instances that differ from it: after a
// change ([Compare]), after failures ([Resilience]), on parts of the cluster ([Costs]), with other
// numbers of workers ([Mold]), and with what an instance without a plan lacks ([Remedies]).
//
// Each takes the spec of an instance, and makes many quick plans with [jigsaw.Plan] and at most a few
// thorough ones. Where there is a bound for all that may be chosen, in numbers of workers or in
// nodes, it has a certificate.
package whatif
