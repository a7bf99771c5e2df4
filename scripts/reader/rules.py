"""The ten rules of a valid schedule, one function each: docs/problem.md, section 3."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Iterable, Iterator, Optional, Union

from cluster import Ring
from instance import Instance, Job
from schedule import Schedule, Sync, Task


@dataclass
class Violation:
    """Rule 0 is about what a plan that repeats owes beside the ten."""

    rule: int
    job: Optional[str]
    iteration: Optional[int]
    tick: Optional[int]
    text: str


def check(instance: Instance, schedule: Schedule) -> list[Violation]:
    """All violations, by rule; empty if the schedule is valid."""
    c = _Check(instance, schedule)
    rules = [
        c.period, c.residency, c.one_task_per_worker, c.depths, c.order, c.sync_after_tasks,
        c.one_task_at_a_time, c.memory, c.links, c.sync_length, c.deadlines,
    ]  # fmt: skip
    return [Violation(number, *found) for number, rule in enumerate(rules) for found in rule()]


@dataclass
class Iteration:
    job: Job
    number: int
    tasks: list[Task]
    syncs: list[Sync]
    counts: Optional[list[int]]  # tasks by depth; None unless there is one on each of k resident GPUs

    def tasks_end(self) -> int:
        return max((t.end for t in self.tasks), default=0)

    def end(self, ready: int) -> int:
        """Of the synchronisation; of the task where there is a lone GPU. ready where neither is there."""
        if self.syncs and self.job.gpus > 1:
            return max(s.end for s in self.syncs)
        return self.tasks_end() if self.tasks else ready


class _Check:
    """Rules yield job, iteration, tick and a text of each violation. What breaks a rule is left out
    of later ones that make no sense then: tasks that are not one on each GPU have no multiset of depths."""

    def __init__(self, instance: Instance, schedule: Schedule):
        self.instance, self.cluster, self.schedule = instance, instance.cluster, schedule
        self.gpus = {j.name: sorted(set(schedule.residency[j.name])) for j in instance.jobs}
        self.iterations = {j.name: self._iterations(j) for j in instance.jobs}
        # Rings of the jobs on several GPUs; None if there is no route.
        self.rings: dict[str, Optional[Ring]] = {
            j.name: self.cluster.ring(self.gpus[j.name], j.policy, j.group)
            for j in instance.jobs
            if 1 < j.gpus == len(self.gpus[j.name])
        }

    def _iterations(self, job: Job) -> list[Iteration]:
        tasks, syncs = defaultdict(list), defaultdict(list)
        for t in self.schedule.tasks[job.name]:
            tasks[t.iteration].append(t)
        for s in self.schedule.syncs[job.name]:
            syncs[s.iteration].append(s)
        found = []
        for i in sorted({*tasks, *syncs}):
            counts = None
            if len(self.gpus[job.name]) == job.gpus and sorted(t.gpu for t in tasks[i]) == self.gpus[job.name]:
                workers = self.workers(job, tasks[i])
                if all(len(alike) == 1 for alike in workers):
                    depths = [depth for alike in workers for depth, _ in alike]
                    counts = [depths.count(d) for d in range(len(job.depths))]
            found.append(Iteration(job, i, tasks[i], syncs[i], counts))
        return found

    @staticmethod
    def workers(job: Job, tasks: list[Task]) -> list[set[tuple[int, int]]]:
        """The depths and starts of the tasks of each worker, where there is one task on each GPU."""
        ordered = sorted(tasks, key=lambda t: t.gpu)
        return [{(t.depth, t.start) for t in ordered[w : w + job.group]} for w in range(0, len(ordered), job.group)]

    def last(self, job: Job) -> int:
        """The number of the job's iterations."""
        if not self.schedule.period:
            return job.iterations
        found = self.iterations[job.name]
        return found[-1].number if found else 0

    def each(self, job: Optional[Job] = None) -> Iterator[Iteration]:
        """The iterations of a job, or of all, but those that are too many."""
        for j in [job] if job else self.instance.jobs:
            last = self.last(j)
            yield from (i for i in self.iterations[j.name] if i.number <= last)

    def period(self):
        longest = self.instance.max_period
        if longest is not None and self.schedule.period > longest:
            yield None, None, None, f"the period of {self.schedule.period} ticks is longer than {longest}"

    def residency(self):
        for job in self.instance.jobs:
            listed, gpus = self.schedule.residency[job.name], self.gpus[job.name]
            workers = job.gpus if self.last(job) > 0 else 0
            if len(listed) != len(gpus) or len(gpus) != workers:
                yield job.name, None, None, f"it lives on GPUs {listed}, but needs {workers}"
            if workers == 0:
                continue
            if len(gpus) == workers:
                for w in range(0, workers, job.group):
                    if len({self.cluster.node_of[g] for g in gpus[w : w + job.group]}) > 1:
                        yield job.name, None, None, f"GPUs {gpus[w : w + job.group]} of a worker are not of one node"
            for gpu in gpus:
                if self.cluster.type_of(gpu) not in job.on:
                    yield job.name, None, None, f"it may not live on GPU {gpu} of type {self.cluster.type_of(gpu)!r}"
            if job.resident and job.resident != gpus:
                yield job.name, None, None, "it does not live where it is in memory when the plan begins"
            if job.within == "node" and len({self.cluster.node_of[g] for g in gpus}) > 1:
                yield job.name, None, None, "it does not live in one node"
            if job.within == "rack" and len({self.cluster.rack_of(g) for g in gpus}) > 1:
                yield job.name, None, None, "it does not live in one rack"

    def one_task_per_worker(self):
        for job in self.instance.jobs:
            there = {i.number for i in self.iterations[job.name]}
            for number in sorted(there | set(range(1, self.last(job) + 1))):
                if number > self.last(job):
                    yield job.name, number, None, f"it has {self.last(job)} iterations"
                elif number not in there and number - 1 in {0, *there}:  # the first of some that are missing
                    yield job.name, number, None, "there is no such iteration"
        for i in self.each():
            resident = self.gpus[i.job.name]
            placed = [t.gpu for t in i.tasks]
            for gpu in sorted({*resident, *placed}):
                if placed.count(gpu) != (gpu in resident):
                    yield i.job.name, i.number, None, f"{placed.count(gpu)} tasks on GPU {gpu}"
            for t in i.tasks:
                costs = i.job.on.get(self.cluster.type_of(t.gpu))
                if costs is not None and t.end - t.start != costs.time[t.depth]:
                    yield i.job.name, i.number, t.start, f"a task of {t.end - t.start} ticks should take {costs.time[t.depth]}"

            if i.counts is None and len(resident) == i.job.gpus and sorted(placed) == resident:
                yield i.job.name, i.number, i.tasks[0].start, "the GPUs of a worker have tasks of several depths or starts"

    def depths(self):
        for i in self.each():
            if i.counts is not None and not i.job.allows(i.counts):
                yield i.job.name, i.number, None, f"{i.counts} workers at depths {i.job.depths}"

    def order(self):
        for job in self.instance.jobs:
            ready, first = job.release + job.load, None
            for i in self.each(job):
                starts = sorted({t.start for t in i.tasks})
                for start in starts:
                    if start < ready:
                        yield job.name, i.number, start, f"it may not start before tick {ready}"
                if job.gang and len(starts) > 1:
                    yield job.name, i.number, starts[-1], "the tasks of a gang start apart"
                if i.number == 1 and starts:
                    first = starts[0]
                ready = i.end(ready)
            period = self.schedule.period
            if period and first is not None and ready > first + period:
                yield job.name, 1, first, f"it begins again at tick {first + period}, before it ends at tick {ready}"

    def sync_after_tasks(self):
        for i in self.each():
            if len(i.syncs) != (i.job.gpus > 1):
                yield i.job.name, i.number, None, f"{len(i.syncs)} synchronisations of {i.job.gpus} GPUs"
            for s in i.syncs:
                if s.start < i.tasks_end():
                    yield i.job.name, i.number, s.start, f"the tasks end at tick {i.tasks_end()}"

    def one_task_at_a_time(self):
        for gpu, tasks in sorted(self.tasks_by_gpu().items()):
            uses = [Use(*piece, t) for t in tasks for piece in self.pieces(t)]
            for use, total in overloads(uses, 1):
                yield use.by.job.name, use.by.iteration, use.start, f"{total} tasks on GPU {gpu}"

    def memory(self):
        if self.instance.queues:
            yield from self.memory_in_time()
            return
        tasks = self.tasks_by_gpu()
        persistent: dict[int, int] = defaultdict(int)
        for job in self.instance.jobs:
            for gpu in self.gpus[job.name]:
                if self.cluster.type_of(gpu) in job.on:
                    persistent[gpu] += job.on[self.cluster.type_of(gpu)].persistent
        for gpu in sorted({*tasks, *persistent}):
            kind = self.cluster.type_of(gpu)
            placed = [t for t in tasks[gpu] if kind in t.job.on]
            needs = [(t.job.on[kind].ephemeral[t.depth], t.job.name, t.iteration, t.start) for t in placed]
            ephemeral, *at = max(needs, key=lambda need: need[0], default=(0, None, None, None))
            if persistent[gpu] + ephemeral > self.cluster.memory[kind]:
                yield (*at, f"GPU {gpu} needs {persistent[gpu]} + {ephemeral} bytes of {self.cluster.memory[kind]}")

    def memory_in_time(self):
        """Memory over time: the sum can exceed the memory only when a job is admitted."""
        tasks, stay = self.tasks_by_gpu(), {}
        for job in self.instance.jobs:
            starts = [t.start for t in self.schedule.tasks[job.name]]
            if starts:
                stay[job.name] = 0 if job.resident else max(0, min(starts) - job.load), self.schedule.completion(job)
        for gpu in range(len(self.cluster.node_of)):
            kind = self.cluster.type_of(gpu)
            lodgers = [j for j in self.instance.jobs if gpu in self.gpus[j.name] and kind in j.on and j.name in stay]
            for coming in lodgers:
                now = stay[coming.name][0]
                here = [j for j in lodgers if stay[j.name][0] <= now < stay[j.name][1]]
                names = {j.name for j in here}
                persistent = sum(j.on[kind].persistent for j in here)
                ephemeral = max((t.job.on[kind].ephemeral[t.depth] for t in tasks[gpu] if t.job.name in names), default=0)
                if persistent + ephemeral > self.cluster.memory[kind]:
                    yield coming.name, None, now, f"GPU {gpu} needs {persistent} + {ephemeral} bytes of {self.cluster.memory[kind]}"

    def links(self):
        uses: dict[int, list[Use]] = defaultdict(list)
        for job in self.instance.jobs:
            syncs = self.schedule.syncs[job.name]
            if not syncs or job.name not in self.rings:
                continue
            ring = self.rings[job.name]
            if ring is None:
                yield job.name, syncs[0].iteration, syncs[0].start, "its synchronisations have no way"
                continue
            for s in syncs:
                for start, end, laps in self.pieces(s):
                    for link, times in ring.crossings.items():
                        uses[link].append(Use(start, end, laps * times * Fraction(ring.speed, s.level), s))
        for link in sorted(uses):
            l = self.cluster.links[link]
            for use, total in overloads(uses[link], l.capacity):
                yield use.by.job.name, use.by.iteration, use.start, f"{total} bit/s on link {l.name} of {l.capacity}"

    def sync_length(self):
        for i in self.each():
            ring = self.rings.get(i.job.name)
            if i.counts is None or ring is None:
                continue
            for s in i.syncs:
                length = self.instance.sync(i.job, i.counts, ring, s.level)
                if s.end - s.start != length:
                    yield i.job.name, i.number, s.start, f"a synchronisation of {s.end - s.start} ticks should take {length}"

    def deadlines(self):
        for job in self.instance.jobs:
            if job.deadline is not None:
                late = [e for i in self.each(job) for e in [*i.tasks, *i.syncs] if e.end > job.deadline]
                if late:
                    last = max(late, key=lambda e: e.end)
                    yield job.name, last.iteration, last.end, f"its deadline is tick {job.deadline}"

    def tasks_by_gpu(self) -> dict[int, list[Task]]:
        by_gpu: dict[int, list[Task]] = defaultdict(list)
        for tasks in self.schedule.tasks.values():
            for t in tasks:
                by_gpu[t.gpu].append(t)
        return by_gpu

    def pieces(self, event: Union[Task, Sync]) -> list[tuple[int, int, int]]:
        """The intervals, modulo the period, in which an event uses its resources, and how many times at once."""
        period = self.schedule.period
        if not period:
            return [(event.start, event.end, 1)]
        laps, rest = divmod(event.end - event.start, period)
        start = event.start % period
        end = start + rest
        return [(0, period, laps), (start, min(end, period), 1), (0, end - period, 1)]


@dataclass
class Use:
    start: int
    end: int
    amount: Union[int, Fraction]
    by: Union[Task, Sync]


def overloads(uses: Iterable[Use], capacity: int) -> Iterator[tuple[Use, Union[int, Fraction]]]:
    """The uses that begin while, with them, more than the capacity is in use; and how much."""
    events = []
    for use in uses:
        if use.start < use.end and use.amount > 0:
            events += [(use.start, use.amount, use), (use.end, -use.amount, use)]
    total: Union[int, Fraction] = 0
    for _, change, use in sorted(events, key=lambda e: (e[0], e[1] > 0)):  # at a tick ends come first
        total += change
        if change > 0 and total > capacity:
            yield use, total
