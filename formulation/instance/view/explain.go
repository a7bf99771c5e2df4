package view

import (
	"fmt"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// Explain says in a few sentences why a job ends when it does, or for
// [instance.NoJob] why the schedule does: how long what of the [Chain] took.
func Explain(in *instance.Instance, s *instance.Schedule, job instance.JobID) (string, error) {
	c, err := newChain(in, s, job)
	switch {
	case err != nil:
		return "", err
	case c.period > 0:
		return c.rates(job), nil
	case len(c.links) == 0:
		return "nothing is scheduled", nil
	}
	return c.summary(), nil
}

// rates says how often jobs run in a periodic plan.
func (c *chain) rates(job instance.JobID) string {
	period := c.at(c.period)
	if job == instance.NoJob {
		return fmt.Sprintf("the plan repeats every %s and does not end", period)
	}
	n := c.s.Iterations(c.in)[job]
	return fmt.Sprintf("the plan repeats every %s, in which %s runs %s", period, c.name(job), Count(n, "iteration"))
}

// parts are the ticks of a chain by what they went to.
type parts struct {
	tasks, syncs instance.Tick   // the job's own
	others       []instance.Tick // by job: tasks and syncs in the way
	loads        instance.Tick
	slack        instance.Tick
}

// parts adds the chain up. Its elements follow each other without a gap, but for slack.
func (c *chain) parts() (p parts, own instance.JobID, end instance.Tick) {
	element := func(l ChainLink) element { return element{l.Sync, l.Index} }
	last := element(c.links[0])
	own, end = c.job(last), c.end(last)
	p.others = make([]instance.Tick, len(c.in.Jobs))
	until, because := end, Slack
	for _, l := range c.links {
		e := element(l)
		if gap := max(0, until-c.end(e)); because == Memory {
			p.loads += gap
		} else {
			p.slack += gap
		}
		length := min(until, c.end(e)) - c.start(e)
		switch {
		case c.job(e) != own:
			p.others[c.job(e)] += length
		case l.Sync:
			p.syncs += length
		default:
			p.tasks += length
		}
		until, because = c.start(e), l.Because
	}
	sinceRelease := until - c.in.Jobs[c.job(element(c.links[len(c.links)-1]))].Release
	switch because {
	case Slack:
		p.slack += sinceRelease
	case Load:
		p.loads += sinceRelease
	}
	return p, own, end
}

func (c *chain) summary() string {
	p, own, end := c.parts()
	var list []string
	add := func(t instance.Tick, format string, args ...any) {
		if t > 0 {
			list = append(list, c.at(t)+" "+fmt.Sprintf(format, args...))
		}
	}
	add(p.tasks, "computing its own iterations")
	add(p.syncs, "synchronising them")
	if others, most, n := total(p.others); n == 1 {
		add(others, "waiting for %s, which had GPUs or links first", c.name(most))
	} else if n > 1 {
		add(others, "waiting for %d other jobs, which had GPUs or links first, the longest for %s (%s)", n, c.name(most), c.at(p.others[most]))
	}
	add(p.loads, "loading")
	add(p.slack, "of slack in the plan")
	text := fmt.Sprintf("%s ends at %s: %s", c.name(own), c.at(end), strings.Join(list, ", "))
	first := c.links[len(c.links)-1]
	released := c.in.Jobs[c.job(element{first.Sync, first.Index})].Release
	if first.Because == Release || first.Because == Load && released > 0 {
		e, who := element{first.Sync, first.Index}, "the job"
		if j := c.job(e); j != own {
			who = c.name(j)
		}
		text += fmt.Sprintf("; before that %s is released at %s", who, c.at(released))
	}
	return text
}

// total returns the sum, the job with the most and how many have any.
func total(ticks []instance.Tick) (sum instance.Tick, most instance.JobID, n int) {
	for _, t := range ticks {
		if sum += t; t > 0 {
			n++
		}
	}
	if n > 0 {
		most = instance.JobID(slices.Index(ticks, slices.Max(ticks)))
	}
	return sum, most, n
}
