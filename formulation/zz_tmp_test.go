package formulation
import ("testing";"context";"fmt";"time";"os";"math/rand/v2"
"jigsaw/formulation/instance"
"jigsaw/heuristics"
"jigsaw/solver/backend"
"jigsaw/formulation/instance/profiles")
func TestTmp(t *testing.T){
 data,err:=os.ReadFile(os.Getenv("INST")); if err!=nil {t.Skip(err)}
 doc,err:=instance.Decode(data); if err!=nil {t.Fatal(err)}; lib,_:=profiles.Builtin(); in,err:=doc.Compile(lib); if err!=nil {t.Fatal(err)}
 sch,err:=heuristics.Greedy(context.Background(),in,rand.New(rand.NewPCG(0,1))); if err!=nil {t.Fatal(err)}
 eng,_:=backend.Default()
 c:=heuristics.Config{Rounds:2}
 sch,_=c.Improve(context.Background(),in,rand.New(rand.NewPCG(0,2)),sch)
 fmt.Println("start",in.Value(sch).FloatString(1),"makespan",sch.Makespan(in),"jobs",len(in.Jobs),"classes",len(in.Classes()), in.Objective)
 t0:=time.Now()
 ctx,cancel:=context.WithTimeout(context.Background(),40*time.Second); defer cancel()
 r,err:=BranchAndPrice(ctx,in,eng,TreeLimits{Start:sch,Event:func(n,c int){ if n<10||n%20==0 {fmt.Println(n,c,time.Since(t0))}}, Improved: func(s *instance.Schedule){fmt.Println("improved",in.Value(s))}})
 fmt.Println(r.Status,r.Nodes,in.Value(r.Schedule),r.Bound.Value,err,time.Since(t0))
}
