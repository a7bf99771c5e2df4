"""The bounds chain and area, and those of prices of GPUs: docs/problem.md, sections 2, 5 and 6.

Each is at least as strong as the text says, because it examines every kind of placement that a job can have.
So a claim of either kind holds if it is no better than what is found here.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import AbstractSet, Iterator, Optional

import quantities as q
from instance import Instance, Job

MOST_MULTISETS = 100_000  # of depths
MOST_PLACEMENTS = 20_000  # of a job
MOST_MOMENTS = 40  # heads, and tails, of a load


class TooMany(Exception):
    """The instance is too large for this."""


@dataclass
class Placement:
    """Nodes whose GPUs a job may have; the first of identical nodes stand for all of them."""

    full: int  # ticks of the longest task of an iteration, at the least
    sync: int  # ticks of the shortest synchronisation
    bits: dict[int, int]  # that an iteration sends over each link, at the least


class Alone:
    """A job as if it were alone on the cluster."""

    def __init__(self, instance: Instance, job: Job):
        self.instance, self.cluster, self.job = instance, instance.cluster, job
        here = {n.type for n in self.cluster.nodes}
        self.counts = [c for c in allowed(job) if all(n == 0 or self.least(d, here) for d, n in enumerate(c))]
        # The GPU types that can run some task of an iteration.
        used = {d for c in self.counts for d, n in enumerate(c) if n > 0}
        self.types = {kind for kind in job.on if kind in here and any(self.fits(kind, d) for d in used)}
        self.placements = [p for p in self.all_placements() if self.in_time(p)] if self.counts else []
        if self.placements:
            self.iteration = min(p.full + p.sync for p in self.placements)
            self.full, self.sync = min(p.full for p in self.placements), min(p.sync for p in self.placements)
            # The least GPU time of an iteration.
            self.work = job.group * min(sum(n * self.least(d, here) for d, n in enumerate(c) if n > 0) for c in self.counts)

    def fits(self, kind: str, depth: int) -> bool:
        costs = self.job.on[kind]
        return costs.persistent + costs.ephemeral[depth] <= self.cluster.memory[kind]

    def least(self, depth: int, kinds: set[str]) -> int:
        """Ticks of the shortest task on any of these types that has the memory; 0 if none has."""
        times = [costs.time[depth] for kind, costs in self.job.on.items() if kind in kinds and self.fits(kind, depth)]
        return min(times, default=0)

    def longest(self, counts: list[int], rooms: dict[str, int]) -> Optional[int]:
        """Ticks that the longest of these tasks, by depth, takes at the least, if types have GPUs for so many workers; None if they have
        too few. The tasks of any depth or a deeper one need as many GPUs on which such a task is no longer."""
        longest = 0
        for depth in range(len(counts)):
            left = sum(counts[depth:])
            times = []
            for kind, room in rooms.items():
                fitting = [self.job.on[kind].time[d] for d in range(depth, len(counts)) if self.fits(kind, d)]
                if fitting:
                    times.append((min(fitting), room))
            for time, room in sorted(times):
                if left > 0:
                    left, longest = left - room, max(longest, time)
            if left > 0:
                return None
        return longest

    def in_time(self, placement: Placement) -> bool:
        iteration, longest = placement.full + placement.sync, self.instance.max_period
        if self.instance.periodic:
            return longest is None or iteration <= longest
        return self.job.deadline is None or self.end(iteration) <= self.job.deadline

    def end(self, iteration: int) -> int:
        return self.job.release + self.job.load + self.job.iterations * iteration

    def all_placements(self) -> Iterator[Placement]:
        volume: dict[int, int] = {}  # by parties
        longest: dict[tuple, Optional[int]] = {}  # by workers for which types have GPUs
        for nodes in self.sets_of_nodes():
            rooms: dict[str, int] = defaultdict(int)
            for n in nodes:
                rooms[self.cluster.nodes[n].type] += len(self.cluster.nodes[n].gpus) // self.job.group
            key = tuple(sorted((kind, min(room, self.job.workers)) for kind, room in rooms.items()))
            if key not in longest:
                longest[key] = min(filter(None, (self.longest(c, rooms) for c in self.counts)), default=None)
            full = longest[key]
            if full is None:
                continue
            if self.job.gpus == 1:
                yield Placement(full, 0, {})
                continue
            gpus = [g for n in nodes for g in self.cluster.nodes[n].gpus]
            ring = self.cluster.ring(gpus[: self.job.gpus] if len(nodes) == 1 else gpus, self.job.policy, self.job.group)
            if ring is None:
                continue
            if ring.parties not in volume:
                volume[ring.parties] = min(self.job.volume(c, ring.parties) for c in self.counts)
            bits = 8 * volume[ring.parties]
            sync = self.instance.ticks_of(volume[ring.parties], ring, self.cluster.levels[0])
            yield Placement(full, sync, {link: times * bits for link, times in ring.crossings.items()})

    def sets_of_nodes(self) -> Iterator[list[int]]:
        """Nodes that hold the workers, at least one each, within the limits of the job's placement."""
        alike: dict[tuple, list[int]] = defaultdict(list)
        for number, n in enumerate(self.cluster.nodes):
            if n.type in self.types:
                ports = [self.cluster.links[l] for l in (n.up, n.down, n.fabric)]
                alike[(n.rack, n.type, len(n.gpus), *((p.capacity, p.failed) for p in ports))].append(number)
        classes = list(alike.values())
        choices = 1
        for c in classes:
            choices *= min(len(c), self.job.workers) + 1
        if choices > MOST_PLACEMENTS:
            raise TooMany(f"job {self.job.name!r} has more than {MOST_PLACEMENTS} kinds of placements")
        for sizes in product(*(range(min(len(c), self.job.workers) + 1) for c in classes)):
            nodes = [n for c, size in zip(classes, sizes) for n in c[:size]]
            racks = {self.cluster.nodes[n].rack for n in nodes}
            gpus = sum(len(self.cluster.nodes[n].gpus) // self.job.group for n in nodes)
            if not 1 <= len(nodes) <= self.job.workers <= gpus:
                continue
            if self.job.within == "node" and len(nodes) > 1 or self.job.within == "rack" and len(racks) > 1:
                continue
            yield nodes


def allowed(job: Job) -> list[list[int]]:
    """All multisets of depths, as workers by depth, that the job's SPB rule allows, in lexicographic order."""
    if job.fixed is not None:
        return [job.fixed]
    places, edges = job.workers + len(job.depths) - 1, len(job.depths) - 1
    if comb(places, edges) > MOST_MULTISETS:
        raise TooMany(f"job {job.name!r} has more than {MOST_MULTISETS} multisets of depths")
    found = []
    for inner in combinations(range(places), edges):
        bars = [-1, *inner, places]
        found.append([b - a - 1 for a, b in zip(bars, bars[1:])])
    return [counts for counts in found if job.allows(counts)]


@dataclass
class Item:
    """What each iteration of a job asks of a load. Iteration i, from 0, is ready at head + i l, and the
    plan ends no sooner than tail + (R - 1 - i) l after it, with l the job's shortest iteration."""

    job: Alone
    amount: int
    head: int
    tail: int


@dataclass
class Load:
    """Work that only some resources can do, so much in a tick."""

    capacity: Fraction
    items: list[Item]


class Bounds:
    """Bounds on the values of plans; None if there is no plan at all."""

    def __init__(self, instance: Instance):
        if instance.queues:
            raise TooMany("bounds here are of jobs that are in memory for the whole plan")
        self.instance, self.cluster = instance, instance.cluster
        alike: dict[str, Alone] = {}  # by all of a job but its name
        self.alone = []
        for job in instance.jobs:
            kind = repr(replace(job, name=""))
            if kind not in alike:
                alike[kind] = Alone(instance, job)
            self.alone.append(alike[kind])
        self.none = any(not a.placements for a in self.alone) and not instance.periodic

    @cached_property
    def chain(self) -> Optional[Fraction]:
        if self.none:
            return None
        if self.instance.objective == "makespan":
            return Fraction(max(a.end(a.iteration) for a in self.alone))
        if self.instance.objective == "weighted_completion":
            return Fraction(sum(a.job.weight * a.end(a.iteration) for a in self.alone))
        if self.instance.max_period is None:
            return self.rates([Fraction(1, a.iteration) if a.placements else Fraction(0) for a in self.alone])
        return max(
            self.rates([Fraction(period // a.iteration if a.placements else 0, period) for a in self.alone])
            for period in range(1, self.instance.max_period + 1)
        )

    def rates(self, rates: list[Fraction]) -> Fraction:
        """The value of so many iterations of each job in a tick."""
        if self.instance.objective == "throughput":
            return sum((a.job.weight * r for a, r in zip(self.alone, rates)), Fraction(0))
        return min(r * a.job.fastest_full() / a.job.weight for a, r in zip(self.alone, rates))

    @cached_property
    def area(self) -> Optional[Fraction]:
        """Not for the weighted completion, of which the text does not say enough."""
        if self.instance.objective == "weighted_completion":
            raise TooMany("the area bound of weighted completion is not looked at")
        if self.none:
            return None
        if self.instance.objective == "makespan":
            return max(self.crowded_cards(), Fraction(max((self.latest(load) for load in self.loads), default=0)))
        if self.instance.objective == "max_min_throughput":
            return min([self.chain, self.crowded(), *(self.one_rate(load) for load in self.loads)])
        apart = sum((self.knapsack(load) for load in self.components()), Fraction(0))
        every = sum((self.fastest(a) for a in self.alone), Fraction(0))
        beside = [every - sum(self.fastest(i.job) for i in l.items) for l in self.loads]
        return min([self.chain, apart, *(rest + self.knapsack(l) for rest, l in zip(beside, self.loads))])

    def crowded(self) -> Fraction:
        """What the GPU that has most workers allows, each with a task in every iteration."""
        if self.chain == 0:
            return self.chain
        shares, workers, gpus = [], 0, sum(len(n.gpus) for n in self.cluster.nodes)
        for a in self.alone:
            shallowest = next((d for d, n in enumerate(a.job.fixed or []) if n > 0), 0)
            shares.append(Fraction(a.job.weight * a.least(shallowest, a.types), a.job.fastest_full()))
            workers += a.job.gpus
        need = sum(sorted(shares)[: -(-workers // gpus)], Fraction(0))
        return 1 / need if need else self.chain

    def crowded_cards(self) -> Fraction:
        """The end of a plan as the network card that serves most jobs allows."""
        cards = {n.up: min(self.cluster.links[n.up].capacity, self.cluster.links[n.down].capacity) for n in self.cluster.nodes}
        cards = {up: c for up, c in cards.items() if c > 0 and not self.cluster.links[up].failed}
        senders = []
        for a in self.alone:
            sent = [[p.bits[l] for l in cards if p.bits.get(l, 0) > 0] for p in a.placements]
            if sent and all(sent):
                head = a.job.release + a.job.load + a.full
                senders.append((min(map(min, sent)) * a.job.iterations, min(map(len, sent)), head))
        senders.sort(reverse=True)
        best = Fraction(0)
        for k in range(1, len(senders) + 1):
            first = senders[:k]
            sharing = -(-sum(nodes for _, nodes, _ in first) // len(cards))
            bits = sum(bits for bits, _, _ in first[k - sharing :])
            best = max(best, min(head for _, _, head in first) + Fraction(bits * 10**9, max(cards.values()) * self.instance.tick))
        return Fraction(q.ceil(best))

    @cached_property
    def loads(self) -> list[Load]:
        able = [a for a in self.alone if a.placements]
        sets = {frozenset(n.type for n in self.cluster.nodes), *(frozenset(a.types) for a in able)}
        groups = {frozenset(n.fabric for n in self.cluster.nodes)}
        for kinds in sets:
            groups.add(frozenset(n.up for n in self.cluster.nodes if n.type in kinds))
        for rack in self.cluster.switch:
            groups.add(frozenset(l for l, start, _ in self.cluster.trunks if start == rack))
            groups.add(frozenset(l for l, _, end in self.cluster.trunks if end == rack))
        groups.add(frozenset(l for l, start, _ in self.cluster.trunks if start in self.cluster.switch))
        groups.update(frozenset([l]) for l, _, _ in self.cluster.trunks)  # all routes of a policy may pass it
        loads = [self.gpu_load(kinds) for kinds in sets] + [self.link_load(links) for links in groups]
        return [load for load in loads if load.capacity > 0 and load.items]

    def gpu_load(self, kinds: AbstractSet[str]) -> Load:
        gpus = sum(len(n.gpus) for n in self.cluster.nodes if n.type in kinds)
        able = [a for a in self.alone if a.placements and a.types <= kinds]
        return Load(Fraction(gpus), [Item(a, a.work, a.job.release + a.job.load, a.sync) for a in able])

    def link_load(self, links: AbstractSet[int]) -> Load:
        working = [l for l in links if not self.cluster.links[l].failed]
        # A ring crosses a NIC as often up as down, so that the slower direction counts for both.
        back = {n.up: n.down for n in self.cluster.nodes}
        both = [[self.cluster.links[l], self.cluster.links[back.get(l, l)]] for l in working]
        capacity = sum(min(0 if link.failed else link.capacity for link in directions) for directions in both)  # bit/s
        items = []
        for a in self.alone:
            if a.placements:
                amount = min(sum(p.bits.get(l, 0) for l in working) for p in a.placements)
                if amount > 0:
                    items.append(Item(a, amount, a.job.release + a.job.load + a.full, 0))
        return Load(Fraction(capacity * self.instance.tick, 10**9), items)

    def components(self) -> list[Load]:
        """The GPUs of types that some job may use both, apart from others."""
        sets: list[set[str]] = []
        for kinds in [a.types for a in self.alone if a.placements]:
            meeting = [s for s in sets if s & kinds]
            sets = [s for s in sets if not s & kinds] + [kinds.union(*meeting)]
        return [self.gpu_load(kinds) for kinds in sets]

    @staticmethod
    def latest(load: Load, named: Optional[tuple[int, int]] = None) -> int:
        """The end of a plan that does, between a head and a tail, the work that is between them: of the
        heads and tails at which work begins and ends, a part where they are many, or of those named."""

        def moments(first: list[tuple[int, Item]]) -> list[int]:
            every = sorted({at + i * item.job.iteration for at, item in first for i in range(item.job.job.iterations)})
            if len(every) <= MOST_MOMENTS:
                return every
            return [every[n * (len(every) - 1) // (MOST_MOMENTS - 1)] for n in range(MOST_MOMENTS)]

        # The items of jobs that are alike come to one, of so many times the amount.
        amounts: dict[int, int] = defaultdict(int)
        for i in load.items:
            amounts[id(i.job)] += i.amount
        items = [
            (amounts.pop(id(i.job)), i.head, i.tail, i.job.iteration, i.job.job.iterations - 1)
            for i in load.items if id(i.job) in amounts
        ]  # fmt: skip
        best = 0
        for head in moments([(i.head, i) for i in load.items]) if named is None else named[:1]:
            for tail in moments([(i.tail, i) for i in load.items]) if named is None else named[1:]:
                work = 0
                for amount, ready, after, l, last in items:
                    first = max(0, -((ready - head) // l))  # rounded up
                    final = min(last, last + (after - tail) // l)
                    if final >= first:
                        work += (final - first + 1) * amount
                if work == 0:
                    break  # nor is there after a longer tail
                best = max(best, head + tail + q.ceil(work / load.capacity))
        return best

    @staticmethod
    def fastest(alone: Alone) -> Fraction:
        return Fraction(alone.job.weight, alone.iteration) if alone.placements else Fraction(0)

    @staticmethod
    def one_rate(load: Load) -> Fraction:
        """The normalised rate that all jobs of a load can have."""
        return load.capacity / sum(i.amount * Fraction(i.job.job.weight, i.job.job.fastest_full()) for i in load.items)

    def knapsack(self, load: Load) -> Fraction:
        """The largest sum of weighted rates."""
        left, value = load.capacity, Fraction(0)
        for i in sorted(load.items, key=lambda i: Fraction(i.job.job.weight, i.amount), reverse=True):
            rate = min(Fraction(1, i.job.iteration), left / i.amount)
            left -= rate * i.amount
            value += rate * i.job.job.weight
        return value

    def worth(self, weights: dict[str, Fraction]) -> Fraction:
        """The least that all tasks amount to, where a tick of a GPU counts by its type."""
        total = Fraction(0)
        for a in self.alone:
            least = [
                min((weights[kind] * costs.time[d] for kind, costs in a.job.on.items() if kind in a.types and a.fits(kind, d)), default=Fraction(0))
                for d in range(len(a.job.depths))
            ]  # fmt: skip
            total += a.job.group * a.job.iterations * min(sum(n * w for n, w in zip(c, least)) for c in a.counts)
        return total

    def all_gpus(self, weights: dict[str, Fraction]) -> Fraction:
        """What a tick of all GPUs counts."""
        return sum((weights[n.type] * len(n.gpus) for n in self.cluster.nodes), Fraction(0))

    def weights(self, certificate: dict) -> dict[str, Fraction]:
        if len(certificate["prices"]) != len(self.cluster.memory) or min(certificate["prices"]) < 0:
            raise q.Refused("a certificate of this kind has a price of each type of GPU, none below 0")
        return dict(zip(self.cluster.memory, map(Fraction, certificate["prices"])))

    def cost(self, certificate: dict) -> Fraction:
        """What no plan costs less than, or none that ends by a time."""
        price = self.cluster.price
        singly = [a.job.gpus * a.job.iterations * a.iteration * min(price[kind] for kind in a.types) for a in self.alone]
        most = max([self.worth(price), *singly])
        if "end" in certificate:
            premiums = {kind: w / 10**6 for kind, w in self.weights(certificate).items()}
            dear = {kind: price[kind] + premiums[kind] for kind in price}
            most = max(most, self.worth(dear) - certificate["end"] * self.all_gpus(premiums))
        return most * self.instance.tick / (3600 * 10**9)

    def best(self, certificate: dict) -> Optional[Fraction]:
        """The best bound of a certificate's kind; None where there is no plan at all."""
        kind = certificate["kind"]
        if kind == "chain":
            return self.chain
        if kind in ("weights", "cost") and not all(a.placements for a in self.alone):
            return None
        if kind == "weights":
            weights = self.weights(certificate)
            return Fraction(q.ceil(self.worth(weights) / self.all_gpus(weights)))
        if kind == "cost":
            return self.cost(certificate)
        if kind != "area":
            raise TooMany(f"certificates of kind {kind!r} are not looked at")
        if self.instance.objective != "makespan" or self.area is None:
            return self.area
        # Whatever load the certificate means, its head and tail make true bounds of every load.
        named = [(t.get("head", 0), t.get("tail", 0)) for t in certificate.get("loads", [])]
        return max([self.area, *(Fraction(self.latest(load, pair)) for load in self.loads for pair in named)])

    def wrong(self, certificate: dict) -> str:
        """What is wrong with a certificate; nothing if its bound holds."""
        return wrong(certificate, self.best(certificate), self.instance.periodic)


class Molds:
    """The least makespan whatever numbers of workers jobs have, each alone with every number that it may have."""

    def __init__(self, jobs: list[list[Instance]]):
        self.jobs = [[b for b in map(Bounds, alone) if all(a.placements for a in b.alone)] for alone in jobs]

    def best(self, certificate: dict) -> Optional[Fraction]:
        if not all(self.jobs):
            return None
        if certificate["kind"] == "chain":
            return max(min(b.chain for b in alone) for alone in self.jobs)
        if certificate["kind"] != "weights":
            raise q.Refused(f"certificates of kind {certificate['kind']!r} are not about moldable jobs")
        one = self.jobs[0][0]
        weights = one.weights(certificate)
        return Fraction(q.ceil(sum(min(b.worth(weights) for b in alone) for alone in self.jobs) / one.all_gpus(weights)))

    def wrong(self, certificate: dict) -> str:
        return wrong(certificate, self.best(certificate), False)


def wrong(certificate: dict, proven: Optional[Fraction], periodic: bool) -> str:
    """What is wrong with a certificate, told what it proves; nothing if its bound holds. Its digest is not looked at."""
    kind = certificate["kind"]
    if (certificate["version"], certificate["denominator"], certificate.get("value")) != (3, 1, None):
        return "a certificate of this kind has version 3, denominator 1 and no value"
    if certificate["prices"] and kind not in ("weights", "cost"):
        return "a certificate of this kind has no prices"
    if certificate.get("infeasible") or certificate["bound"] is None:
        return "a certificate of this kind claims a bound"
    claim = Fraction(certificate["bound"])
    if proven is None or (claim >= proven if periodic else claim <= proven):
        return ""
    return f"it claims {claim}; {kind} proves {proven}"
