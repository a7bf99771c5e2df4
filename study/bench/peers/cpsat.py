"""Plans an instance with OR-tools' CP-SAT and prints the result as JSON.

The input is `programData` of study/bench/peers_data.go: all the integers of the
problem. The model is exact: the schedule it writes has to pass JigSaw's checker.

Model, for job j, iteration i, GPU g, node n, depth d:

  resident[j,g]     j is resident on g; k GPUs
  task[j,i,g,d]     optional interval of p(d) ticks; its presence is a literal, and
                    the depths on g share one start. Sum over d = resident[j,g]
  depths[j,i,m]     the iteration's depths are multiset m of the rule
  mode[j,h]         placement mode: on how many nodes, and whether in several racks
  sync[j,i]         interval whose length follows from mode, depths and rate level
  no overlap        of the tasks on a GPU
  cumulative        of the syncs on the fabric and the NIC of a node and the uplink of a
                    rack, as optional intervals
  memory            of a GPU, if it can run out

Added for speed: windows from the chain of each job, the work of each GPU
against the makespan, an order among identical jobs, GPUs, nodes and racks, and the
list schedule as a hint.
"""

import argparse
import json
import math
import resource
import sys
import time

import ortools
from ortools.sat.python import cp_model


def latest(data):
    """The latest end of each job in a plan that is no worse than the hint, all
    other jobs ending as early as they can."""
    ends, least = [], []
    for j in data["jobs"]:
        sync = min((t for h in j["modes"] for row in h["sync"] for t in row), default=0)
        least.append(j["release"] + j["iterations"] * (j["time"][-1] + sync))
    value = round(data["hint_value"])
    weighted = sum(j["weight"] * end for j, end in zip(data["jobs"], least))
    for j, end in zip(data["jobs"], least):
        if data["objective"] == "makespan":
            ends.append(value)
        else:
            ends.append(end + (value - weighted) // j["weight"])
    return [min(end, j["deadline"] or end) for j, end in zip(data["jobs"], ends)]


# PROBED is how many tasks, counted by GPU and depth, a model may have to be probed
# by presolve. Beyond, probing takes most of a minute and finds little.
PROBED = 10_000


class Planner:
    def __init__(self, data):
        self.data = data
        self.m = cp_model.CpModel()
        self.latest = latest(data)  # end of each job
        self.horizon = max(self.latest)
        self.gpus = range(data["racks"] * data["nodes"] * data["gpus"])
        self.nodes = range(data["racks"] * data["nodes"])
        self.racks = range(data["racks"])
        self.tasks_on = [[] for _ in self.gpus]  # intervals
        self.work_on = [[] for _ in self.gpus]  # p(d) x literal
        self.uses = {}  # (kind of link, site) -> [(interval, rate)]
        self.jobs = [Job(self, n, j) for n, j in enumerate(data["jobs"])]
        for g in self.gpus:
            self.m.add_no_overlap(self.tasks_on[g])
        self.links()
        self.memory()
        self.symmetry()
        self.objective()

    def on_node(self, n):
        width = self.data["gpus"]
        return range(n * width, (n + 1) * width)

    def in_rack(self, r):
        width = self.data["nodes"]
        return range(r * width, (r + 1) * width)

    def links(self):
        capacity = {"fabric": self.data["fabric"], "nic": self.data["nic"], "uplink": self.data["uplink"]}
        for (kind, _), uses in self.uses.items():
            unit = math.gcd(capacity[kind], *(rate for _, rate in uses))
            self.m.add_cumulative([i for i, _ in uses], [rate // unit for _, rate in uses], capacity[kind] // unit)

    def memory(self):
        memory = self.data["memory"]
        everything = sum(j.data["persistent"] for j in self.jobs) + max(max(j.data["ephemeral"]) for j in self.jobs)
        if everything <= memory:
            return
        for g in self.gpus:
            residents = sum(j.data["persistent"] * j.resident[g] for j in self.jobs)
            for j in self.jobs:
                for i in j.iterations:
                    needs = sum(j.data["ephemeral"][d] * x for d, x in j.depth[i][g].items())
                    self.m.add(residents + needs <= memory)

    def symmetry(self):
        """Orders identical jobs by their ends; GPUs of a node, nodes of a rack, and racks by
        the jobs that are resident there. Each order is possible whatever the orders before it."""
        last = {}
        for j in self.jobs:
            c = j.data["class"]
            if c in last:
                self.m.add(last[c].end <= j.end)
            last[c] = j

        def ordered(groups, base, count):
            first = self.jobs[: max(1, int(40 / math.log2(base)))]
            codes = [sum(base ** (len(first) - 1 - n) * count(j, group) for n, j in enumerate(first)) for group in groups]
            for a, b in zip(codes, codes[1:]):
                self.m.add(a >= b)

        for n in self.nodes:
            ordered(self.on_node(n), 2, lambda j, g: j.resident[g])
        for r in self.racks:
            ordered(self.in_rack(r), self.data["gpus"] + 1, lambda j, n: j.count[n])
        ordered(self.racks, self.data["gpus"] * self.data["nodes"] + 1, lambda j, r: sum(j.count[n] for n in self.in_rack(r)))

    def objective(self):
        if self.data["objective"] == "weighted_completion":
            self.m.minimize(sum(j.data["weight"] * j.end for j in self.jobs))
            return
        makespan = self.m.new_int_var(0, self.horizon, "makespan")
        for j in self.jobs:
            self.m.add(makespan >= j.end)
        tail, head = min(j.sync_least for j in self.jobs), min(j.data["release"] for j in self.jobs)
        for g in self.gpus:
            self.m.add(head + sum(self.work_on[g]) + tail <= makespan)
        self.m.minimize(makespan)
        self.makespan = makespan

    def schedule(self, value):
        """The schedule as JigSaw reads it."""
        s = {"residency": {}, "tasks": [], "syncs": []}
        for j in self.jobs:
            name = j.data["name"]
            s["residency"][name] = [g for g in self.gpus if value(j.resident[g])]
            for i in j.iterations:
                for g in s["residency"][name]:
                    d = next(d for d, x in j.depth[i][g].items() if value(x))
                    start = value(j.start[i][g])
                    s["tasks"].append({"job": name, "iteration": i + 1, "gpu": g, "depth": j.data["layers"][d],
                                       "start": start, "end": start + j.data["time"][d]})
                if j.synchronises:
                    level = next(w.level for w in j.options[i] if value(w.chosen))
                    s["syncs"].append({"job": name, "iteration": i + 1, "start": value(j.sync_start[i]), "end": value(j.sync_end[i]),
                                       "rate": 1 / self.data["rate_levels"][level]})
        return s


class SyncOption:
    """An option of a synchronisation: a placement mode, a class of multisets and a rate level."""

    def __init__(self, chosen, mode, multisets, level, ticks, rate):
        self.chosen, self.mode, self.multisets, self.level, self.ticks, self.rate = chosen, mode, multisets, level, ticks, rate


class Job:
    def __init__(self, planner, number, data):
        self.p, self.number, self.data = planner, number, data
        self.iterations = range(data["iterations"])
        self.synchronises = data["workers"] > 1
        self.used = [d for d in range(len(data["time"])) if any(m[d] for m in data["multisets"])]
        self.sync_least = min((t for h in data["modes"] for row in h["sync"] for t in row), default=0)
        self.residency()
        self.windows()
        self.make_tasks()
        if self.synchronises:
            self.make_syncs()
        self.order()

    def residency(self):
        m, p, k = self.p.m, self.p, self.data["workers"]
        self.resident = [m.new_bool_var("") for _ in p.gpus]
        m.add(sum(self.resident) == k)
        width = p.data["gpus"]
        self.count, self.on, self.in_rack = [], [], []
        for n in p.nodes:
            count, on = m.new_int_var(0, min(k, width), ""), m.new_bool_var("")
            m.add(count == sum(self.resident[g] for g in p.on_node(n)))
            m.add(count >= 1).only_enforce_if(on)
            m.add(count == 0).only_enforce_if(~on)
            self.count.append(count)
            self.on.append(on)
        for r in p.racks:
            here = m.new_bool_var("")
            m.add_max_equality(here, [self.on[n] for n in p.in_rack(r)])
            self.in_rack.append(here)
        self.mode = [m.new_bool_var("") for _ in self.data["modes"]]
        if self.synchronises:
            m.add_exactly_one(self.mode)
        for h, mode in zip(self.data["modes"], self.mode):
            m.add(sum(self.on) == h["nodes"]).only_enforce_if(mode)
            if h["spread"]:
                m.add(sum(self.in_rack) >= 2).only_enforce_if(mode)
            else:
                m.add(sum(self.in_rack) == 1).only_enforce_if(mode)

    def windows(self):
        """Earliest starts and latest ends of tasks, from the chain."""
        full, count = self.data["time"][-1], len(self.iterations)
        last = self.p.latest[self.number]
        self.iteration_least = full + self.sync_least
        self.earliest = [self.data["release"] + i * self.iteration_least for i in self.iterations]
        self.latest = [last - self.sync_least - (count - 1 - i) * self.iteration_least for i in self.iterations]

    def make_tasks(self):
        m, data = self.p.m, self.data
        self.start, self.depth, self.depths = [], [], []
        for i in self.iterations:
            chosen = [m.new_bool_var("") for _ in data["multisets"]]
            m.add_exactly_one(chosen)
            self.depths.append(chosen)
            shortest = min(data["time"][d] for d in self.used)
            low, high = self.earliest[i], self.latest[i] - shortest
            common = m.new_int_var(low, high, "") if data["gang"] else None
            starts, depths = [], []
            for g in self.p.gpus:
                start = common if data["gang"] else m.new_int_var(low, high, "")
                literals = {}
                for d in self.used:
                    x, ticks = m.new_bool_var(""), data["time"][d]
                    literals[d] = x
                    self.p.tasks_on[g].append(m.new_optional_fixed_size_interval_var(start, ticks, x, ""))
                    self.p.work_on[g].append(ticks * x)
                    m.add(start + ticks <= self.latest[i]).only_enforce_if(x)
                m.add(sum(literals.values()) == self.resident[g])
                starts.append(start)
                depths.append(literals)
            for d in self.used:
                m.add(sum(x[d] for x in depths) == sum(s[d] * c for s, c in zip(data["multisets"], chosen)))
            self.start.append(starts)
            self.depth.append(depths)

    def make_syncs(self):
        m, data = self.p.m, self.data
        table = lambda n: [h["sync"][n] for h in data["modes"]]
        classes = []  # of multisets that synchronise alike
        for n in range(len(data["multisets"])):
            same = next((c for c in classes if table(c[0]) == table(n)), None)
            same.append(n) if same else classes.append([n])
        self.sync_start, self.sync_end, self.options = [], [], []
        self.booked = {}  # id of an iteration's options -> its uses of links, for the hint
        for i in self.iterations:
            start = m.new_int_var(self.earliest[i], self.p.horizon, "")
            end = m.new_int_var(self.earliest[i], self.p.horizon, "")
            options = []
            for n, h in enumerate(data["modes"]):
                for c in classes:
                    row = h["sync"][c[0]]
                    for level, ticks in enumerate(row):
                        if level + 1 < len(row) and row[level + 1] == ticks:
                            continue  # slower, and as short
                        options.append(SyncOption(m.new_bool_var(""), n, c, level, ticks, h["rate"][level]))
            for n, mode in enumerate(self.mode):
                m.add(sum(w.chosen for w in options if w.mode == n) == mode)
            for c in classes:
                m.add(sum(w.chosen for w in options if w.multisets is c) == sum(self.depths[i][n] for n in c))
            m.add(end - start == sum(w.ticks * w.chosen for w in options))
            self.loads(options, start, end)
            for g in self.p.gpus:
                for d, x in self.depth[i][g].items():
                    m.add(start >= self.start[i][g] + data["time"][d]).only_enforce_if(x)
            self.sync_start.append(start)
            self.sync_end.append(end)
            self.options.append(options)

    def loads(self, options, start, end):
        """Adds the synchronisation to the links that each option uses."""
        uses = {}  # (kind of link, rate) -> options
        for w in options:
            h = self.data["modes"][w.mode]
            for kind in ["fabric"] if h["nodes"] == 1 else ["nic", "uplink"] if h["spread"] else ["nic"]:
                uses.setdefault((kind, w.rate), []).append(w)
        m = self.p.m
        for (kind, rate), chosen in uses.items():
            for site, here in enumerate(self.in_rack if kind == "uplink" else self.on):
                used = m.new_bool_var("")
                m.add(used >= sum(w.chosen for w in chosen) + here - 1)
                length = m.new_int_var(0, self.p.horizon, "")
                interval = m.new_optional_interval_var(start, length, end, used, "")
                self.p.uses.setdefault((kind, site), []).append((interval, rate))
                self.booked.setdefault(id(options), []).append((chosen, kind, site, used, length))

    def order(self):
        m = self.p.m
        for i in self.iterations[1:]:
            for g in self.p.gpus:
                if self.synchronises:
                    m.add(self.start[i][g] >= self.sync_end[i - 1]).only_enforce_if(self.resident[g])
                else:
                    for d, x in self.depth[i - 1][g].items():
                        m.add(self.start[i][g] >= self.start[i - 1][g] + self.data["time"][d]).only_enforce_if(x)
            if self.synchronises:
                m.add(self.sync_end[i] >= self.sync_end[i - 1] + self.iteration_least)
        last = self.iterations[-1]
        if self.synchronises:
            self.end = self.sync_end[last]
        else:
            self.end = m.new_int_var(0, self.p.horizon, "")
            for g in self.p.gpus:
                for d, x in self.depth[last][g].items():
                    m.add(self.end >= self.start[last][g] + self.data["time"][d]).only_enforce_if(x)
        m.add(self.end <= self.p.latest[self.number])


    def hint_residency(self, here):
        m, p = self.p.m, self.p
        for g in p.gpus:
            m.add_hint(self.resident[g], g in here)
        counts = [sum(g in here for g in p.on_node(n)) for n in p.nodes]
        for n in p.nodes:
            m.add_hint(self.count[n], counts[n])
            m.add_hint(self.on[n], counts[n] > 0)
        self.racks_hinted = {r for r in p.racks if any(counts[n] for n in p.in_rack(r))}
        self.nodes_hinted = {n for n in p.nodes if counts[n]}
        for r in p.racks:
            m.add_hint(self.in_rack[r], r in self.racks_hinted)
        self.mode_hinted = None
        for n, h in enumerate(self.data["modes"]):
            chosen = h["nodes"] == len(self.nodes_hinted) and h["spread"] == (len(self.racks_hinted) > 1)
            m.add_hint(self.mode[n], chosen)
            if chosen:
                self.mode_hinted = n

    def hint_tasks(self, i, at):
        """at[g]: depth and start on g. Returns the end of the tasks."""
        m = self.p.m
        for g in self.p.gpus:
            if not self.data["gang"] or g == min(at):
                m.add_hint(self.start[i][g], at[g][1] if g in at else self.earliest[i])
            for d, x in self.depth[i][g].items():
                m.add_hint(x, g in at and at[g][0] == d)
        return max(start + self.data["time"][d] for d, start in at.values())

    def hint_sync(self, i, multiset, sync):
        """Hints at the slowest option that takes as long as the schedule's rate. Returns
        the end of the synchronisation."""
        m = self.p.m
        level = self.p.data["rate_levels"].index(round(1 / sync["rate"]))
        ticks = self.data["modes"][self.mode_hinted]["sync"][multiset][level]
        option = [w for w in self.options[i] if w.mode == self.mode_hinted and multiset in w.multisets and w.ticks == ticks and w.level >= level][0]
        for w in self.options[i]:
            m.add_hint(w.chosen, w is option)
        m.add_hint(self.sync_start[i], sync["start"])
        m.add_hint(self.sync_end[i], sync["start"] + ticks)
        for chosen, kind, site, used, length in self.booked.get(id(self.options[i]), []):
            here = site in (self.racks_hinted if kind == "uplink" else self.nodes_hinted)
            m.add_hint(used, here and any(w is option for w in chosen))
            m.add_hint(length, ticks)
        return sync["start"] + ticks


def hint(planner):
    """Gives the list schedule as a hint, in the order that the model requires."""
    m, data = planner.m, planner.data
    schedule = data["hint"]
    end = {j["name"]: 0 for j in data["jobs"]}
    for piece in schedule["tasks"] + (schedule["syncs"] or []):
        end[piece["job"]] = max(end[piece["job"]], piece["end"])
    # role[j]: the job of the schedule whose tasks job j of the model has.
    role = {}
    for c in {j.data["class"] for j in planner.jobs}:
        alike = [j.data["name"] for j in planner.jobs if j.data["class"] == c]
        role.update(zip(alike, sorted(alike, key=end.get)))
    names = [role[j.data["name"]] for j in planner.jobs]
    resident = {n: set(schedule["residency"][n]) for n in names}

    def order(members, parts):  # by resident jobs, the first job first
        return sorted(members, key=lambda x: tuple(-len(resident[n] & set(parts(x))) for n in names))

    gpus = []
    on_rack = lambda r: [g for n in planner.in_rack(r) for g in planner.on_node(n)]
    for r in order(planner.racks, on_rack):
        for n in order(planner.in_rack(r), planner.on_node):
            gpus += order(planner.on_node(n), lambda g: [g])
    place = {old: new for new, old in enumerate(gpus)}

    tasks, syncs = {}, {}
    for t in schedule["tasks"]:
        tasks.setdefault((t["job"], t["iteration"]), []).append((t["depth"], place[t["gpu"]], t["start"]))
    for s in schedule["syncs"] or []:
        syncs[s["job"], s["iteration"]] = s
    ends = {}
    for j, name in zip(planner.jobs, names):
        layers = j.data["layers"]
        j.hint_residency({place[g] for g in resident[name]})
        end = 0
        for i in j.iterations:
            found = sorted(tasks[name, i + 1])
            # The model has only the shallowest multisets: take one that is no deeper than the schedule's.
            for n, counts in enumerate(j.data["multisets"]):
                depths = [d for d, c in enumerate(counts) for _ in range(c)]
                if all(layers[d] <= t[0] for d, t in zip(depths, found)):
                    break
            for other, literal in enumerate(j.depths[i]):
                m.add_hint(literal, other == n)
            at = {g: (d, start) for d, (_, g, start) in zip(depths, found)}
            end = j.hint_tasks(i, at)
            if j.synchronises:
                end = j.hint_sync(i, n, syncs[name, i + 1])
        ends[j.number] = end
        if not j.synchronises:
            m.add_hint(j.end, end)
    if data["objective"] == "makespan":
        m.add_hint(planner.makespan, max(ends.values()))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--data", required=True)
    p.add_argument("--solution", required=True, help="file for the schedule")
    p.add_argument("--limit", type=float, required=True)
    p.add_argument("--threads", type=int, default=1)
    a = p.parse_args()
    with open(a.data) as f:
        planner = Planner(json.load(f))
    hint(planner)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = a.limit
    solver.parameters.num_workers = a.threads
    if sum(len(tasks) for tasks in planner.tasks_on) > PROBED:
        solver.parameters.cp_model_probing_level = 0
    series, bound, best = [], [None], [None]

    class Improved(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self):
            best[0], bound[0] = self.objective_value, self.best_objective_bound
            series.append([time.monotonic() - start, best[0], bound[0]])

    def bounded(value):
        bound[0] = value
        series.append([time.monotonic() - start, best[0], value])

    solver.best_bound_callback = bounded
    start = time.monotonic()
    status = solver.solve(planner.m, Improved())
    wall = time.monotonic() - start
    names = {cp_model.OPTIMAL: "optimal", cp_model.FEASIBLE: "feasible", cp_model.INFEASIBLE: "infeasible", cp_model.UNKNOWN: "limit"}
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    if found:
        with open(a.solution, "w") as f:
            json.dump(planner.schedule(solver.value), f)
    json.dump({
        "status": names.get(status, "failed"),
        "primal": solver.objective_value if found else None,
        "dual": solver.best_objective_bound if found or status == cp_model.UNKNOWN else None,
        "wall": wall,
        "peak_memory": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "nodes": solver.num_branches,
        "version": f"CP-SAT {ortools.__version__}",
        "series": series,
    }, sys.stdout)


if __name__ == "__main__":
    main()
