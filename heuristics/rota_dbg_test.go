package heuristics

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
)

func TestRotaDebug(t *testing.T) {
	for _, v := range []struct{n string; p *float64}{{"HOT",&RotaHot},{"COLD",&RotaCold}} { if x := os.Getenv(v.n); x != "" { fmt.Sscan(x, v.p) } }
	if x := os.Getenv("WORK"); x != "" { fmt.Sscan(x, &RotaWork) }
	name := os.Getenv("INST")
	data, _ := os.ReadFile(name)
	doc, err := instance.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	lib, _ := profiles.Builtin()
	in, err := instance.Compile(doc.Spec, lib)
	if err != nil {
		t.Fatal(err)
	}
	start, _ := Greedy(context.Background(), in, source(1))
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	s := newPeriodicImprover(ctx, Config{}, in, source(2), start)
	begin := time.Now()
	rounds := 0
	var last time.Duration
	first := s.value
	limit := 12
	if x := os.Getenv("ROUNDS"); x != "" { fmt.Sscan(x, &limit) }
	for ; rounds < limit; rounds++ {
		v := s.value
		s.round()
		if s.value > v { last = time.Since(begin) }
	}
	fmt.Printf("%s greedy %.4f search %.4f P=%d rounds %d last %v\n", name, first, s.value, s.best.Period, rounds, last)
	if os.Getenv("VERBOSE") != "" {
	var a, b, c [rotaMoves]int
	for _, l := range s.lanes { for k := range a { a[k]+=l.tried[k]; b[k]+=l.taken[k]; c[k]+=l.gained[k] } }
	fmt.Println(a); fmt.Println(b); fmt.Println(c)
	}
	if v := instance.Check(in, s.best); len(v) > 0 {
		t.Fatal(v)
	}
}

func TestHomesDebug(t *testing.T) {
	name := os.Getenv("INST")
	data, _ := os.ReadFile(name)
	doc, err := instance.Decode(data)
	if err != nil { t.Fatal(err) }
	lib, _ := profiles.Builtin()
	in, err := instance.Compile(doc.Spec, lib)
	if err != nil { t.Fatal(err) }
	rng := source(3)
	counts := startCounts(in)
	fmt.Println(name)
	for _, speed := range []float64{1, .9, .8, .7} {
		s := newPeriodicSearch(context.Background(), in, rng, nil)
		begin := time.Now()
		est := 0.0
		for range 6 {
		h := newPeriodicHomes(in, rng, counts, speed)
		h.anneal(context.Background(), 20000)
		list := h.lodgers()
		s.pool = append(s.pool, list)
		est = max(est, h.value())
		}
		ann := time.Since(begin)
		for i, list := range s.pool {
			targets := make([]float64, len(list))
			for n, l := range list { targets[n] = l.target }
			ps := naturalPeriods(in, list)
			for _, p := range ps { 
				for n, l := range list { l.target = targets[n] }
				s.try(i, list, p, filling{}, style{slack: slackSnug}) }
		}
		v, _ := s.bestValue.Float64()
		fmt.Printf("speed %.1f est %.4f plan %.4f P=%d annealing %v evaluations %d %v\n", speed, est, v, s.best.period, ann, s.evaluations, time.Since(begin))
	}
}
