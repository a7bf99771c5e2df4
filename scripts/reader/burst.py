"""What background jobs have at most beside burst-parallel jobs: docs/problem.md, section 9."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Optional

import bounds
import cluster as clusters
import quantities as q
from models import Library, Profile

Steps = list[tuple[int, int]]  # busy GPUs, the first so many, and for how many ns


class Foreground:
    """A burst-parallel job, on a node."""

    def __init__(self, spec: dict, name: str, profiles: list[Profile], speed: Fraction):
        self.name, self.batch, self.gpus = name, spec["batch"], spec["gpus"]
        self.limit, self.slowdown = q.ratio(spec.get("amplification", 2)), q.ratio(spec.get("slowdown", "1.1"))
        self.profiles, self.speed = sorted(profiles, key=lambda p: p.batch), speed
        self.rate, self.latency = 1, 0
        # The profile of the batch, or of the next larger one, or else the largest.
        self.whole = next((p for p in self.profiles if p.batch >= self.batch), self.profiles[-1])
        self.layers = len(self.whole.layers)

    def place(self, rate: int, latency: int) -> None:
        self.rate, self.latency = max(1, rate), latency

    def takes(self, layer: int, key: str, gpus: int) -> int:
        """The forward or backward pass of a layer on so many GPUs, in ns."""
        samples = self.batch // gpus
        below = [p for p in self.profiles if p.batch <= samples]
        above = [p for p in self.profiles if p.batch >= samples]
        a, b = (below or above[:1])[-1], (above or below[-1:])[0]

        def time(p: Profile) -> int:
            return q.ceil(q.duration(p.layers[layer][key]) / self.speed)

        if a is b:
            return q.ceil(Fraction(time(a) * samples, a.batch))
        span = b.batch - a.batch
        return q.ceil(Fraction(time(a) * (b.batch - samples), span)) + q.ceil(Fraction(time(b) * (samples - a.batch), span))

    def send(self, amount: Fraction) -> int:
        return q.ceil(Fraction(8 * 10**9 * q.ceil(amount), self.rate)) + self.latency

    def sync(self, layer: int, gpus: int) -> int:
        size = q.size(self.whole.layers[layer].get("parameters", 0))
        return 0 if gpus == 1 or size == 0 else self.send(Fraction(2 * size * (gpus - 1), gpus))

    def move(self, layer: int, before: int, gpus: int) -> int:
        """Time to move a layer's input to its GPUs, in ns."""
        given = (q.size(l.get("output", 0)) or q.size(l.get("activations", 0)) for l in self.whole.layers[layer - 1 :: -1])
        size = next((size for size in given if size), 0) if layer else 0
        if before == gpus or size == 0:
            return 0
        many, few = self.batch // min(before, gpus), self.batch // max(before, gpus)
        return self.send(Fraction(size * max(many - few, few), self.whole.batch))

    def steps(self, stages: list[int]) -> Steps:
        """The steps of an iteration in which layers have these numbers of GPUs; all GPUs wait for an all-reduce."""
        forward, back = [], []
        for l, g in enumerate(stages):
            before = stages[l - 1] if l else g
            move = (max(before, g), self.move(l, before, g))
            forward += [move, (g, self.takes(l, "forward", g))]
            back = [(g, self.takes(l, "backward", g)), (self.gpus, self.sync(l, g)), move] + back
        return forward + back

    def forbids(self, stages: list[int]) -> str:
        if len(stages) != self.layers:
            return f"{self.name} has {self.layers} layers"
        for l, g in enumerate(stages):
            before = stages[l - 1] if l else g
            if not 1 <= g <= self.gpus or g & (g - 1) or self.batch % g:
                return f"{g} GPUs of layer {l} of {self.name}"
            if self.whole.layers[l].get("joined", False) and l and g != before:
                return f"layer {l} of {self.name} is joined to the one before"
            time = self.takes(l, "forward", g) + self.takes(l, "backward", g) + self.sync(l, g) + 2 * self.move(l, before, g)
            if g * time > self.limit * (self.takes(l, "forward", 1) + self.takes(l, "backward", 1)):
                return f"layer {l} of {self.name} is beyond the limit"
        return ""


class Bursts:
    def __init__(self, document: dict, libraries: list[dict]):
        cluster = clusters.read(document["cluster"])
        library = Library(document, libraries)
        named: list[tuple[Foreground, str]] = []
        self.background, self.slice = 0, q.duration("500us")
        for spec in document["jobs"]:
            count = spec.get("count", 1)
            if spec.get("disabled", False):
                continue
            if spec.get("background", False):
                self.background += count
                self.slice = q.duration(spec.get("slice", "500us"))
                continue
            kind, profiles, speed = self.serving(spec, cluster, library)
            for n in range(count):
                name = spec["name"] if count == 1 else f"{spec['name']}-{n + 1}"
                named.append((Foreground(spec, name, profiles, speed), kind))
        nodes = sorted(cluster.nodes, key=lambda n: -len(n.gpus))
        for job, kind in sorted(named, key=lambda f: -f[0].gpus):
            free = [n for n in nodes if n.type == kind and (job.gpus == 1 or not cluster.links[n.fabric].failed)]
            if not free or len(free[0].gpus) < job.gpus:
                raise q.Refused(f"no node is left for {job.name!r}")
            job.place(cluster.links[free[0].fabric].capacity, cluster.latency)
            nodes.remove(free[0])
        self.foreground = [job for job, _ in named]
        self.others = sum(len(n.gpus) for n in cluster.nodes) - sum(job.gpus for job in self.foreground)

    @staticmethod
    def serving(spec: dict, cluster: clusters.Cluster, library: Library) -> tuple[str, list[Profile], Fraction]:
        """The type of GPU that a burst-parallel job runs on, and the profiles of every batch."""
        for kind in spec.get("placement", {}).get("gpu_types") or list(cluster.memory):
            for gpu, speed in cluster.measured[kind]:
                profiles = [p for p in library.of(spec["model"]) if p.gpu == gpu]
                if profiles and any(n.type == kind for n in cluster.nodes):
                    return kind, profiles, speed
        raise q.Refused(f"{spec['model']!r} has no profile")

    def best(self, certificate: dict) -> Optional[Fraction]:
        """What the stages of a certificate of kind background prove; None where they are no stages of these jobs."""
        return None if self.forbids(certificate["stages"]) else self.most(certificate["stages"])

    def most(self, stages: list[list[int]]) -> Fraction:
        """The most that background jobs have together, in GPUs' worth of time."""
        shares = [Fraction(0)]  # by the number of GPUs, of burst-parallel jobs, that have some
        for job, counts in zip(self.foreground, stages):
            steps, most = job.steps(counts), self.background
            alone = sum(takes for _, takes in steps)
            limit = q.floor((job.slowdown - 1) * alone)
            idle = [self.runs(steps, g) for g in range(job.gpus)]
            delays = {0, limit} | {x for runs in idle for x in self.thresholds(runs) if x <= limit}
            of = [Fraction(0)] * (job.gpus + 1)  # the last n GPUs
            for x in delays:
                useful: dict[tuple, int] = {}
                total = 0
                for n, runs in enumerate(reversed(idle), 1):
                    if runs not in useful:
                        useful[runs] = self.useful(runs, x)
                    total += useful[runs]
                    of[n] = max(of[n], Fraction(total, alone + x))
            mixed: dict[int, Fraction] = {}
            for k, here in enumerate(shares):
                for n in range(min(job.gpus, most - k) + 1):
                    mixed[k + n] = max(mixed.get(k + n, Fraction(0)), here + of[n])
            shares = [mixed[k] for k in sorted(mixed)]
        return max(v + min(self.others, self.background - k) for k, v in enumerate(shares))

    @staticmethod
    def runs(steps: Steps, gpu: int) -> tuple[int, ...]:
        """How long a GPU is idle between two steps that use it, cyclically over the period; the longest first."""
        lengths: Counter[int] = Counter()
        busy = 0
        for gpus, takes in steps:
            if takes and gpus > gpu:
                busy += 1
            else:
                lengths[busy] += takes
        for n in range(busy):
            lengths[n] += 0
        if busy:
            lengths[0] += lengths.pop(busy, 0)
        return tuple(sorted(lengths.values(), reverse=True))

    def thresholds(self, runs: tuple[int, ...]) -> list[int]:
        short = [max(0, self.slice - w) for w in runs]
        return [sum(short[: n + 1]) for n in range(len(short))]

    def useful(self, runs: tuple[int, ...], delay: int) -> int:
        """The most time that background jobs can have on a GPU in a period with this delay, which extends the
        longest idle runs to slices."""
        n = sum(x <= delay for x in self.thresholds(runs))
        return sum(runs[:n]) + delay if n else 0

    def wrong(self, certificate: dict) -> str:
        """What is wrong with a certificate of kind background; nothing if its bound holds."""
        return self.forbids(certificate["stages"]) or bounds.wrong(certificate, self.best(certificate), True)

    def forbids(self, stages: list[list[int]]) -> str:
        if len(stages) != len(self.foreground):
            return f"there are {len(self.foreground)} burst-parallel jobs"
        return next(filter(None, (job.forbids(counts) for job, counts in zip(self.foreground, stages))), "")
