"""Requests and answers of the comparison with the planner's compiler and checker, in JSON.

A request has an `instance` file and `profiles` files; `schedules`; `residencies`, each the name
of a job and a list of GPUs; and `certificates`. The answer has the compiled `figures`, what each
schedule breaks or is worth, what the synchronisations of each residency use and take, and what is
wrong with each certificate.
"""

from __future__ import annotations

import json

import bounds
import burst
import instance as instances
import quantities
import rules
import schedule
from instance import Instance, Job


def parse(text: str) -> dict:
    return json.loads(text, parse_float=str)  # digits as they are written


def answer(request: dict) -> dict:
    try:
        document, libraries, certificates = request["instance"], request.get("profiles", []), request.get("certificates", [])
        if not plain(document):
            return {"certificates": proofs(subject(document, libraries), certificates)}
        compiled = instances.read(document, libraries)
    except quantities.Refused as problem:
        return {"refused": str(problem)}
    return {
        "figures": figures(compiled),
        "schedules": [verdict(compiled, s) for s in request.get("schedules", [])],
        "certificates": prove(compiled, certificates),
        "residencies": [span(compiled, r["job"], r["gpus"]) for r in request.get("residencies", [])],
    }


def figures(compiled: Instance) -> dict:
    cluster = compiled.cluster
    return {
        "tick_ns": compiled.tick,
        "objective": compiled.objective,
        "max_period": compiled.max_period,
        "queues": compiled.queues,
        "latency": compiled.latency,
        "levels": cluster.levels,
        "memory": cluster.memory,
        "gpus": [{"node": n.name, "rack": n.rack, "type": n.type} for n in cluster.nodes for _ in n.gpus],
        "links": [{"name": l.name, "capacity": l.capacity, "failed": l.failed} for l in cluster.links],
        "jobs": [
            {
                "name": j.name, "workers": j.workers, "group": j.group, "iterations": j.iterations, "weight": j.weight,
                "release": j.release, "load": j.load, "deadline": j.deadline, "resident": j.resident, "gang": j.gang, "within": j.within,
                "depths": j.depths, "segments": j.segments, "allowed": allowed(j),
                "on": {gpu: vars(costs) for gpu, costs in j.on.items()},
            }
            for j in compiled.jobs
        ],
    }  # fmt: skip


def allowed(job: Job) -> list[list[int]]:
    """The counts that meet the SPB rule; of jobs with many workers only the fixed ones."""
    if job.workers > 8:
        return [job.fixed] if job.fixed else []
    return bounds.allowed(job)


def span(compiled: Instance, name: str, gpus: list[int]) -> dict | None:
    job = next(j for j in compiled.jobs if j.name == name)
    ring = compiled.cluster.ring(gpus, job.policy, job.group)
    if ring is None:
        return None
    links = compiled.cluster.links
    return {
        "parties": ring.parties,
        "crossings": {links[l].name: n for l, n in ring.crossings.items()},
        "speed": str(ring.speed),
        "volumes": [job.volume(counts, ring.parties) for counts in allowed(job)],
        "lengths": [
            [compiled.sync(job, counts, ring, level) for level in compiled.cluster.levels] for counts in allowed(job)
        ],
    }


def verdict(compiled: Instance, document: dict) -> dict:
    try:
        plan = schedule.read(document, compiled)
    except schedule.Malformed as problem:
        return {"violations": [vars(rules.Violation(0, None, None, None, str(problem)))]}
    violations = rules.check(compiled, plan)
    if violations:
        return {"violations": [vars(v) for v in violations]}
    return {"violations": [], "value": str(plan.value(compiled)), "efficiency": float(plan.efficiency(compiled))}


def plain(document: dict) -> bool:
    """Whether no job is moldable or burst parallel."""
    return not any("moldable" in j or "kind" in j for j in document["jobs"] if not j.get("disabled", False))


def subject(document: dict, libraries: list[dict]) -> bounds.Bounds | bounds.Molds | burst.Bursts:
    """What certificates about a file are proven by."""
    if plain(document):
        return bounds.Bounds(instances.read(document, libraries))
    if any("moldable" in j for j in document["jobs"]):
        return bounds.Molds(instances.molds(document, libraries))
    return burst.Bursts(document, libraries)


def prove(compiled: Instance, certificates: list[dict]) -> list[dict]:
    try:
        return proofs(bounds.Bounds(compiled), certificates) if certificates else []
    except bounds.TooMany as limit:
        return [{"skipped": str(limit)} for _ in certificates]


def proofs(known: bounds.Bounds | bounds.Molds | burst.Bursts, certificates: list[dict]) -> list[dict]:
    answers = []
    for c in certificates:
        try:
            best = known.best(c)
            answers.append({"best": None if best is None else str(best), "wrong": known.wrong(c)})
        except bounds.TooMany as limit:
            answers.append({"skipped": str(limit)})
    return answers
