"""An instance file compiled to integers: docs/problem.md, sections 2 and 4."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Optional

import cluster as clusters
import quantities as q
from models import Library, Profile

STATES = {"sgd": 0, "momentum": 1, "adam": 2}  # that an optimizer keeps, each of the parameters' size


@dataclass
class Costs:
    """Of a job on one GPU type. Lists are by position in Job.depths."""

    time: list[int]  # ticks
    persistent: int  # bytes
    ephemeral: list[int]  # bytes


@dataclass
class Job:
    """Lists by depth are by position in depths."""

    name: str
    workers: int
    group: int  # GPUs of a worker
    iterations: int
    weight: int
    release: int
    load: int  # ticks from admission to the first tasks
    deadline: Optional[int]
    resident: list[int]  # GPUs that it is in memory on when the plan begins; none: nowhere
    gang: bool
    within: str
    policy: Optional[str]
    depths: list[int]  # allowed, in layers, ascending; the last is full
    segments: list[int]  # bytes back-propagated at depths[s], not at depths[s - 1]
    reductions: int  # of each segment in a synchronisation
    gathers: int
    fixed: Optional[list[int]]  # workers at each depth, where the rule leaves no choice
    min_full: int
    min_mean: Fraction
    fraction: list[Fraction]  # of the full depth, by depth
    on: dict[str, Costs]  # by GPU type that it may live on

    def allows(self, counts: list[int]) -> bool:
        """Whether counts[d] workers at depths[d] meet the SPB rule."""
        if self.fixed is not None:
            return counts == self.fixed
        mean = sum(n * fraction for n, fraction in zip(counts, self.fraction)) / self.workers
        return sum(counts) == self.workers and counts[-1] >= self.min_full and mean >= self.min_mean

    @property
    def gpus(self) -> int:
        return self.workers * self.group

    def volume(self, counts: list[int], parties: int) -> int:
        """Bytes that each party of a synchronisation sends, and receives: section 4."""
        total = 0
        for s, size in enumerate(self.segments):
            contributors = sum(counts[s:])
            if contributors > 0:
                reducing = min(parties, contributors)
                total += self.reductions * q.ceil(Fraction(size * (reducing - 1), reducing))
                total += self.gathers * q.ceil(Fraction(size * (parties - 1), parties))
        return total

    def fastest_full(self) -> int:
        """Ticks of a task at full depth on the GPU type where that is shortest."""
        return min(costs.time[-1] for costs in self.on.values())


@dataclass
class Instance:
    tick: int  # ns
    objective: str
    max_period: Optional[int]
    queues: bool  # whether jobs hold memory only while they run
    latency: int  # ticks
    cluster: clusters.Cluster
    jobs: list[Job]

    @property
    def periodic(self) -> bool:
        return self.objective in ("throughput", "max_min_throughput")

    def sync(self, job: Job, counts: list[int], ring: clusters.Ring, level: int) -> int:
        """Ticks of a synchronisation at rate level 1/level."""
        return self.ticks_of(job.volume(counts, ring.parties), ring, level)

    def ticks_of(self, volume: int, ring: clusters.Ring, level: int) -> int:
        seconds = Fraction(8 * volume * level, ring.speed)
        return max(self.latency, q.ceil(seconds * 10**9 / self.tick))


def read(document: dict, libraries: list[dict]) -> Instance:
    """Compiles an instance file; libraries are profile files, for models that it has none of."""
    tick = document.get("tick_us", 1000) * 1000
    objective, residence = document.get("objective", "makespan"), document.get("residence", "plan")
    if residence not in ("plan", "run") or residence == "run" and "throughput" in objective:
        raise q.Refused(f"residence: {residence!r} does not go with {objective}")
    if residence == "plan" and ("load_rate" in document["cluster"] or any("load" in j for j in document["jobs"])):
        raise q.Refused("jobs are loaded during a plan only with residence: run")
    activations = document.get("activations", "shared")
    if activations not in ("shared", "kept"):
        raise q.Refused(f"activations: {activations!r} is unknown")
    compile_ = _Compiler(tick, clusters.read(document["cluster"]), Library(document, libraries), activations == "kept")
    jobs: list[Job] = []
    for spec in document["jobs"]:
        if spec.get("disabled", False):
            continue
        count = spec.get("count", 1)
        for n in range(count):
            jobs.append(compile_.job(spec, spec["name"] if count == 1 else f"{spec['name']}-{n + 1}"))
    return Instance(
        tick=tick,
        objective=objective,
        max_period=compile_.limit(document.get("max_period")),
        queues=residence == "run",
        latency=compile_.ticks(compile_.cluster.latency),
        cluster=compile_.cluster,
        jobs=jobs,
    )


def molds(document: dict, libraries: list[dict]) -> list[list[Instance]]:
    """Every job alone, with each of its numbers of workers that it can have."""
    jobs = []
    for spec in document["jobs"]:
        if spec.get("disabled", False):
            continue
        alone: list[Instance] = []
        for workers in spec.get("moldable", [None]):
            job = {key: value for key, value in spec.items() if key != "moldable"}
            if workers is not None:
                job |= {"workers": workers, "batch": spec["batch"] // workers}
            try:
                alone.append(read(document | {"jobs": [job]}, libraries))
            except q.Refused:
                continue
        jobs.append(alone)
    return jobs


class _Compiler:
    def __init__(self, tick: int, cluster: clusters.Cluster, library: Library, keeps: bool):
        self.tick, self.cluster, self.library = tick, cluster, library
        self.keeps = keeps  # activations, between tasks

    def ticks(self, nanoseconds) -> int:
        return q.ceil(Fraction(nanoseconds) / self.tick)

    def limit(self, duration) -> Optional[int]:
        """Ticks of what limits a plan: rounded down."""
        if duration is None:
            return None
        ticks = q.duration(duration) // self.tick
        if ticks < 1:
            raise q.Refused(f"{duration} is shorter than a tick")
        return ticks

    def job(self, spec: dict, name: str) -> Job:
        if "kind" in spec or "background" in spec or "moldable" in spec:
            raise q.Refused(f"job {name!r}: burst-parallel, background and moldable jobs are not looked at")
        placement, spb = spec.get("placement", {}), spec.get("spb", {})
        serving = self.serving(spec, placement.get("gpu_types") or list(self.cluster.memory))
        # Depths and their fractions are those of the first type's profile.
        reference = next(iter(serving.values()))[0]
        if not all(reference.same_layers(profile) for profile, _ in serving.values()):
            raise q.Refused(f"job {name!r}: its GPU types have profiles with different layers")
        depths = self.depths(spb, reference)
        measure = spb.get("measure", "backward_time")
        batches, sharding = spec.get("accumulate", 1), spec.get("sharding")
        return Job(
            name=name,
            workers=spec["workers"],
            group=spec.get("gpus_per_worker", 1),
            iterations=spec.get("iterations", 1),
            weight=spec.get("weight", 1),
            release=self.ticks(q.duration(spec.get("release", 0))),
            load=0 if spec.get("resident") else self.load(spec, reference),
            deadline=self.limit(spec.get("deadline")),
            resident=self.resident(spec),
            gang=spec.get("gang", False),
            within=placement.get("within", "cluster"),
            policy=self.policy(placement.get("policy")),
            depths=depths,
            segments=[reference.parameters[d] - reference.parameters[s] for s, d in zip([0] + depths, depths)],
            reductions=batches if sharding in ("zero2", "zero3") else 1,
            gathers=2 * batches if sharding == "zero3" else 1,
            fixed=self.fixed(spb.get("rule", "ladder"), spec["workers"], depths),
            min_full=spb.get("min_full", 1),
            min_mean=q.ratio(spb.get("min_mean_depth", 0)),
            fraction=[reference.fraction(d, measure) for d in depths],
            on={gpu: self.costs(spec, profile, speed, depths) for gpu, (profile, speed) in serving.items()},
        )

    def load(self, spec: dict, reference: Profile) -> int:
        if "load" in spec:
            return self.ticks(q.duration(spec["load"]))
        if self.cluster.load_rate is None:
            return 0
        seconds = Fraction(8 * self.persistent(spec, reference), self.cluster.load_rate)
        return self.ticks(seconds * 10**9)

    def resident(self, spec: dict) -> list[int]:
        gpus = sorted(set(spec.get("resident", [])))
        if gpus and (len(gpus) != spec["workers"] * spec.get("gpus_per_worker", 1) or spec.get("count", 1) > 1 or not 0 <= gpus[0] <= gpus[-1] < len(self.cluster.node_of)):
            raise q.Refused(f"resident: {spec['resident']} are not those of {spec['workers']} workers")
        return gpus

    @staticmethod
    def persistent(spec: dict, profile: Profile) -> int:
        """Bytes that a GPU of a worker keeps: parameters, gradients and the optimizer's states, in parts of the parameters."""
        states = STATES[spec.get("optimizer", "momentum")]
        if profile.half:
            states = 2 + 2 * states
        parts = [1, 1, states]
        whole = {None: 3, "zero1": 2, "zero2": 1, "zero3": 0}[spec.get("sharding")]  # so many of them
        size = profile.parameters[-1]
        kept = size * sum(parts[:whole]) + q.ceil(Fraction(size * sum(parts[whole:]), spec["workers"]))
        return q.ceil(Fraction(kept, spec.get("gpus_per_worker", 1)))

    def policy(self, name: Optional[str]) -> Optional[str]:
        if name is not None and name not in self.cluster.policies:
            raise q.Refused(f"there is no policy {name!r}")
        return name

    def serving(self, spec: dict, allowed: list[str]) -> dict[str, tuple[Profile, Fraction]]:
        """By GPU type that the job may live on, its profile there and the type's relative speed."""
        serving: dict[str, tuple[Profile, Fraction]] = {}
        batch = spec.get("batch")
        for gpu in self.cluster.memory:
            if gpu not in allowed:
                continue
            for measured, speed in self.cluster.measured[gpu]:
                found = [
                    p for p in self.library.of(spec["model"])
                    if p.gpu == measured and batch in (None, p.batch) and p.gpus == spec.get("gpus_per_worker", 1)
                ]  # fmt: skip
                if len(found) > 1:
                    raise q.Refused(f"job {spec['name']!r}: which batch size of {spec['model']!r} on {measured!r}?")
                if found:
                    serving[gpu] = found[0], speed
                    batch = found[0].batch
                    break
        if not serving:
            raise q.Refused(f"job {spec['name']!r}: {spec['model']!r} has no profile for the GPU types it may live on")
        return serving

    @staticmethod
    def depths(spb: dict, reference: Profile) -> list[int]:
        chosen = set(spb.get("depths", [])) or reference.even_cuts(spb.get("cuts", 4))
        if not chosen <= set(reference.cuts):
            raise q.Refused(f"spb.depths: {sorted(chosen - set(reference.cuts))} are no cuts of {reference.model!r}")
        return sorted(chosen | {reference.full})

    @staticmethod
    def fixed(rule: str, workers: int, depths: list[int]) -> Optional[list[int]]:
        """Workers at each depth by the rules full and ladder; None by the rule free."""
        full = depths[-1]
        if rule == "free":
            return None
        if rule == "full":
            roles = [full] * workers
        elif rule == "ladder":
            roles = [min(d for d in depths if d * workers >= i * full) for i in range(1, workers + 1)]
        else:
            raise q.Refused(f"spb.rule: there is no rule {rule!r}")
        return [roles.count(d) for d in depths]

    def costs(self, spec: dict, profile: Profile, speed: Fraction, depths: list[int]) -> Costs:
        checkpointing = spec.get("checkpointing", False)
        if checkpointing and not any(profile.inputs):
            raise q.Refused(f"job {spec['name']!r}: the profile does not tell what comes into its layers")
        sharding = spec.get("sharding")
        unshared = {"zero2": 1, "zero3": 2}.get(sharding, 0) * profile.largest_block()
        persistent = self.persistent(spec, profile)
        ephemeral = list(accumulate((
            q.ceil(Fraction(profile.workspace_of(d, checkpointing) + unshared + profile.kept(d, checkpointing), spec.get("gpus_per_worker", 1)))
            for d in depths
        ), max))  # no task takes less than a shallower one
        if self.keeps:
            persistent, ephemeral = persistent + max(ephemeral), [0] * len(depths)
        return Costs(
            time=[max(1, self.ticks(spec.get("accumulate", 1) * profile.time(d, checkpointing) / speed)) for d in depths],
            persistent=persistent,
            ephemeral=ephemeral,
        )
