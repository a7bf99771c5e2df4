package baseline

import (
	"cmp"
	"slices"

	"jigsaw/formulation/instance"
)

// memory tracks the memory taken on GPUs: as in every plan, the persistent bytes of all
// jobs that ever live on a GPU, and the most ephemeral bytes of any of them (rule 7 of
// docs/problem.md).
type memory struct {
	p    *problem
	held []instance.Memory // per GPU
}

func newMemory(p *problem) *memory { return &memory{p, make([]instance.Memory, len(p.in.GPUs))} }

func (m *memory) reset() { clear(m.held) }

// fits reports whether job j may also live on GPU g.
func (m *memory) fits(j instance.JobID, g instance.GPUID) bool {
	t := m.p.in.GPUs[g].Type
	c := m.p.in.Jobs[j].On[t]
	return c != nil && (!m.p.memory || m.held[g].With(c.Memory(m.p.in.Jobs[j].Full())).Sum() <= m.p.in.Types[t].Memory)
}

// take lets job j live on the GPUs.
func (m *memory) take(j instance.JobID, gpus []instance.GPUID) {
	if !m.p.memory {
		return
	}
	job := &m.p.in.Jobs[j]
	for _, g := range gpus {
		m.held[g] = m.held[g].With(job.On[m.p.in.GPUs[g].Type].Memory(job.Full()))
	}
}

// placer chooses GPUs among the usable ones. One placer serves one goroutine.
type placer struct {
	*problem
	usable [][]instance.GPUID // per node: usable GPUs, ascending; scratch
	nodes  []instance.NodeID  // scratch
	spans  map[string]instance.Span
	name   []byte
}

func newPlacer(p *problem) *placer {
	return &placer{problem: p, usable: make([][]instance.GPUID, len(p.in.Nodes)), spans: map[string]instance.Span{}}
}

// site is a choice of GPUs for a job.
type site struct {
	gpus   []instance.GPUID // ascending
	span   instance.Span
	length instance.Tick // of the job there, if its synchronisations never wait
}

// choose returns the site where the job is fastest among the usable GPUs: the node with
// the fewest that suffice, so that whole nodes stay free for jobs that need them,
// otherwise the fewest nodes of a rack or of the cluster. ok is false if there is none.
func (p *placer) choose(j instance.JobID) (best site, ok bool) {
	job := &p.in.Jobs[j]
	node := instance.NodeID(-1)
	for n, list := range p.usable {
		l := p.inside[j][p.kind[n]]
		if l == 0 || len(list) < job.Workers {
			continue
		}
		if node < 0 || l < best.length || l == best.length && len(list) < len(p.usable[node]) {
			node, best.length = instance.NodeID(n), l
		}
	}
	if node >= 0 {
		best.gpus = slices.Clone(p.usable[node][:job.Workers])
		best.span, _ = p.span(job, []instance.NodeID{node})
	}
	ok = node >= 0
	if job.Workers == 1 || job.Within == instance.WithinNode || ok && p.nearest && len(p.kinds) == 1 {
		return best, ok
	}
	try := func(nodes []instance.NodeID) {
		if s, fine := p.spread(j, nodes); fine && (!ok || s.length < best.length) {
			best, ok = s, true
		}
	}
	eachType := func(nodes []instance.NodeID) {
		if len(p.in.Types) > 1 {
			for t := range p.in.Types {
				try(slices.DeleteFunc(slices.Clone(nodes), func(n instance.NodeID) bool { return p.in.Nodes[n].Type != instance.TypeID(t) }))
			}
		}
		try(nodes)
	}
	for _, nodes := range p.spreads(j) {
		eachType(nodes)
	}
	return best, ok
}

// spread returns the site on the fewest of the nodes, whole workers on each.
func (p *placer) spread(j instance.JobID, among []instance.NodeID) (site, bool) {
	job := &p.in.Jobs[j]
	sum, g := 0, job.Group()
	p.nodes = p.nodes[:0]
	for _, n := range among {
		if whole := len(p.usable[n]) / g * g; whole > 0 {
			sum += whole
			p.nodes = append(p.nodes, n)
		}
	}
	if sum < job.Workers {
		return site{}, false
	}
	slices.SortStableFunc(p.nodes, func(a, b instance.NodeID) int {
		return cmp.Or(cmp.Compare(len(p.usable[b]), len(p.usable[a])), cmp.Compare(p.in.Nodes[a].Rack, p.in.Nodes[b].Rack))
	})
	s := site{gpus: make([]instance.GPUID, 0, job.Workers)}
	longest, used := instance.Tick(0), 0
	for _, n := range p.nodes {
		list := p.usable[n]
		s.gpus = append(s.gpus, list[:min(len(list)/g*g, job.Workers-len(s.gpus))]...)
		longest = max(longest, job.On[p.in.Nodes[n].Type].Time[p.deepest(j)])
		if used++; len(s.gpus) == job.Workers {
			break
		}
	}
	slices.Sort(s.gpus)
	nodes := slices.Sorted(slices.Values(p.nodes[:used]))
	var ok bool
	if s.span, ok = p.span(job, nodes); !ok {
		return site{}, false
	}
	s.length = p.length(j, longest, &s.span)
	return s, true
}

// span is [instance.Instance.SpanOf] of a job on some of the GPUs of the nodes, cached.
func (p *placer) span(job *instance.Job, nodes []instance.NodeID) (instance.Span, bool) {
	k := job.Workers
	if k == 1 {
		return instance.Span{Parties: 1}, true
	}
	if len(nodes) == 1 {
		return p.in.SpanNodesOf(job, nodes, k)
	}
	p.name = append(p.name[:0], byte(job.Policy), byte(job.Policy>>8))
	for _, n := range nodes {
		p.name = append(p.name, byte(n), byte(n>>8), byte(n>>16))
	}
	span, ok := p.spans[string(p.name)]
	if !ok {
		span, _ = p.in.SpanNodesOf(job, nodes, k) // the zero Span if there is no route
		p.spans[string(p.name)] = span
	}
	return span, span.Slowest > 0
}

// at is the site of job j on the GPUs.
func (p *placer) at(j instance.JobID, gpus []instance.GPUID) (site, bool) {
	span, ok := p.in.SpanOf(&p.in.Jobs[j], gpus)
	longest := instance.Tick(0)
	for _, g := range gpus {
		longest = max(longest, p.in.Jobs[j].On[p.in.GPUs[g].Type].Time[p.deepest(j)])
	}
	return site{gpus, span, p.length(j, longest, &span)}, ok
}
