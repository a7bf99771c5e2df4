"""Schedules: the file, and what one is worth. docs/problem.md, sections 3 and 5."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Optional

from instance import Instance, Job


class Malformed(Exception):
    """The file names what the instance does not have."""


@dataclass
class Task:
    job: Job
    iteration: int
    start: int
    end: int
    gpu: int
    depth: int  # position in job.depths


@dataclass
class Sync:
    job: Job
    iteration: int
    start: int
    end: int
    level: int  # n of rate level 1/n


@dataclass
class Schedule:
    period: Optional[int]  # None of a plan that runs once
    residency: dict[str, list[int]]
    tasks: dict[str, list[Task]]  # by job
    syncs: dict[str, list[Sync]]

    def iterations(self, job: Job) -> int:
        """Of a plan that repeats: in one period."""
        return max((t.iteration for t in self.tasks[job.name]), default=0)

    def completion(self, job: Job) -> int:
        return max((e.end for e in [*self.tasks[job.name], *self.syncs[job.name]]), default=0)

    def value(self, instance: Instance) -> Fraction:
        """The objective: section 5."""
        jobs = instance.jobs
        if instance.objective == "makespan":
            return Fraction(max(self.completion(j) for j in jobs))
        if instance.objective == "weighted_completion":
            return Fraction(sum(j.weight * self.completion(j) for j in jobs))
        rates = [Fraction(self.iterations(j), self.period) for j in jobs]
        if instance.objective == "throughput":
            return sum(j.weight * rate for j, rate in zip(jobs, rates))
        return min(rate * j.fastest_full() / j.weight for j, rate in zip(jobs, rates))

    def efficiency(self, instance: Instance) -> Fraction:
        work = 0
        for job in instance.jobs:
            iterations = self.iterations(job)
            for gpu in self.residency[job.name]:
                work += iterations * job.on[instance.cluster.type_of(gpu)].time[-1]
        span = self.period or max(self.completion(j) for j in instance.jobs)
        return Fraction(work, len(instance.cluster.node_of) * span) if span else Fraction(0)


def read(document: dict, instance: Instance) -> Schedule:
    """Reads a schedule file, or the schedule in the result of `jigsaw plan -o json`."""
    document = document.get("schedule", document)
    period = document.get("period")
    if (period is not None) != instance.periodic or period is not None and period < 1:
        raise Malformed(f"the period of a plan for {instance.objective} is {period}")
    jobs = {j.name: j for j in instance.jobs}
    plan = Schedule(period, {name: [] for name in jobs}, {name: [] for name in jobs}, {name: [] for name in jobs})
    for name, gpus in document["residency"].items():
        plan.residency[_job(name, jobs).name] = [_gpu(gpu, instance) for gpu in gpus]
    tasks, syncs = (document["tasks"], document["syncs"]) if "blocks" not in document else _written([_by_task(b, plan, jobs, instance) for b in document["blocks"]])
    for t in tasks:
        job = _job(t["job"], jobs)
        if t["depth"] not in job.depths:
            raise Malformed(f"job {job.name!r} has no depth {t['depth']}")
        gpu, depth = _gpu(t["gpu"], instance), job.depths.index(t["depth"])
        plan.tasks[job.name].append(Task(job, *_times(t), gpu, depth))
    for s in syncs:
        job = _job(s["job"], jobs)
        # A file has the double nearest to 1/n.
        level = next((n for n in instance.cluster.levels if float(s["rate"]) == 1 / n), None)
        if level is None:
            raise Malformed(f"{s['rate']} is no rate level")
        plan.syncs[job.name].append(Sync(job, *_times(s), level))
    return plan


def _by_task(block: dict, plan: Schedule, jobs: dict[str, Job], instance: Instance) -> dict:
    """The block with its tasks and synchronisations written out, if it gives them by job, in columns."""
    if "jobs" not in block:
        return block
    tasks, syncs = [], []
    for pattern in block["jobs"]:
        job = _job(pattern["job"], jobs)
        gpus, starts, depths = plan.residency[job.name], pattern["starts"], pattern["depths"]
        if not gpus or not starts or len(starts) % len(gpus) or not depths or len(starts) % len(depths):
            raise Malformed(f"{len(starts)} starts and {len(depths)} depths of {job.name!r} on {len(gpus)} GPUs")
        for i, start in enumerate(starts):
            gpu, layers = gpus[i % len(gpus)], depths[i % len(depths)]
            on = job.on.get(instance.cluster.type_of(gpu))
            if layers not in job.depths or on is None:
                raise Malformed(f"job {job.name!r} has no depth {layers} on GPU {gpu}")
            end = start + on.time[job.depths.index(layers)]
            tasks.append({"job": job.name, "iteration": i // len(gpus) + 1, "gpu": gpu, "depth": layers, "start": start, "end": end})
        starts, times, rates = pattern.get("syncs", []), pattern.get("sync_times", []), pattern.get("rates", [])
        if starts and (len(starts) * len(gpus) != len(pattern["starts"]) or not times or len(starts) % len(times) or not rates or len(starts) % len(rates)):
            raise Malformed(f"{len(starts)} syncs of {job.name!r} with {len(times)} times and {len(rates)} rates")
        for i, start in enumerate(starts):
            syncs.append({"job": job.name, "iteration": i + 1, "start": start, "end": start + times[i % len(times)], "rate": rates[i % len(rates)]})
    return {**block, "tasks": tasks, "syncs": syncs}


MOST_WRITTEN = 1_000_000  # tasks and synchronisations of a plan in blocks


def _written(blocks: list[dict]) -> tuple[list[dict], list[dict]]:
    """All repeats of all blocks, one by one: what they mean (section 3)."""
    total = sum(b["repeats"] * (len(b["tasks"]) + len(b["syncs"])) for b in blocks)
    if total > MOST_WRITTEN:
        raise Malformed(f"written out, the plan has {total} tasks and synchronisations; this reader takes up to {MOST_WRITTEN}")
    done: dict[str, int] = {}  # iterations, by job
    tasks: list[dict] = []
    syncs: list[dict] = []
    for b in blocks:
        period = b.get("period", 0)
        if b["start"] < 0 or b["repeats"] < 1 or (period > 0) != (b["repeats"] > 1):
            raise Malformed(f"a block of {b['repeats']} repeats starts at tick {b['start']} with a period of {period}")
        each: dict[str, int] = {}  # iterations in a repeat
        for e in [*b["tasks"], *b["syncs"]]:
            _times(e)
            each[e["job"]] = max(each.get(e["job"], 0), e["iteration"])
        for m in range(b["repeats"]):
            shift = b["start"] + m * period
            for pattern, out in (b["tasks"], tasks), (b["syncs"], syncs):
                for e in pattern:
                    number = done.get(e["job"], 0) + m * each[e["job"]] + e["iteration"]
                    out.append({**e, "iteration": number, "start": e["start"] + shift, "end": e["end"] + shift})
        for job, n in each.items():
            done[job] = done.get(job, 0) + n * b["repeats"]
    return tasks, syncs


def _job(name: str, jobs: dict[str, Job]) -> Job:
    if name not in jobs:
        raise Malformed(f"there is no job {name!r}")
    return jobs[name]


def _gpu(gpu: int, instance: Instance) -> int:
    if not 0 <= gpu < len(instance.cluster.node_of):
        raise Malformed(f"there is no GPU {gpu}")
    return gpu


def _times(entry: dict) -> tuple[int, int, int]:
    iteration, start, end = entry["iteration"], entry["start"], entry["end"]
    if iteration < 1 or not 0 <= start <= end:
        raise Malformed(f"iteration {iteration} from tick {start} to {end}")
    return iteration, start, end
