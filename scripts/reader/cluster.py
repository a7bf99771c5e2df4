"""The cluster of docs/problem.md, section 2: GPUs, links, and the rings that synchronisations use."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Iterable, Optional

import quantities as q


@dataclass
class Link:
    name: str
    capacity: int  # bit/s
    failed: bool = False


@dataclass
class Node:
    name: str
    rack: int  # nodes of a rack hang on one switch
    type: str
    gpus: list[int]
    up: int  # links, by number
    down: int
    fabric: int


@dataclass
class Policy:
    """What the routes of some jobs must pass, avoid, or prefer, by labels."""

    must_pass: list[str]
    avoid: set[str]
    prefer: list[str]


@dataclass
class Ring:
    """What the synchronisations of a job on several GPUs use."""

    parties: int  # nodes, or workers where they are on one node
    crossings: dict[int, int]  # link: how often the ring crosses it
    speed: int  # bit/s at rate level 1: the slowest share of a link


@dataclass
class Cluster:
    memory: dict[str, int]  # of a GPU, by type, in the order of the file
    measured: dict[str, list[tuple[str, Fraction]]]  # whose profiles serve, and at what speed
    price: dict[str, Fraction]  # of an hour of a GPU, by type
    levels: list[int]  # n of 1/n, fastest first
    latency: int  # ns
    load_rate: Optional[int]  # bit/s; None where loading takes no time
    nodes: list[Node] = field(default_factory=list)
    node_of: list[int] = field(default_factory=list)  # by GPU
    links: list[Link] = field(default_factory=list)
    switch: list[int] = field(default_factory=list)  # by rack
    trunks: list[tuple[int, int, int]] = field(default_factory=list)  # link, from switch, to switch
    switches: list[set[str]] = field(default_factory=list)  # names and labels of each
    labels: dict[int, set[str]] = field(default_factory=dict)  # and of the links between switches
    policies: dict[str, Policy] = field(default_factory=dict)
    rings: dict = field(default_factory=dict)  # those asked for so far, by the set of GPUs or nodes

    def type_of(self, gpu: int) -> str:
        return self.nodes[self.node_of[gpu]].type

    def rack_of(self, gpu: int) -> int:
        return self.nodes[self.node_of[gpu]].rack

    def ring(self, gpus: list[int], policy: Optional[str] = None, group: int = 1) -> Optional[Ring]:
        """The ring among at least two GPUs; None if there is no route (section 4)."""
        nodes = sorted({self.node_of[g] for g in gpus})
        key = (policy, len(nodes), tuple(nodes) if len(nodes) > 1 else (nodes[0], len(gpus) // group))
        if key not in self.rings:
            self.rings[key] = self._ring(nodes, len(gpus) // group, policy)
        return self.rings[key]

    def _ring(self, nodes: list[int], workers: int, policy: Optional[str]) -> Optional[Ring]:
        crossings: Counter[int] = Counter()
        if len(nodes) == 1:
            crossings[self.nodes[nodes[0]].fabric] = 1
            parties = workers
        else:
            parties = len(nodes)
            for here, there in zip(nodes, nodes[1:] + nodes[:1]):
                a, b = self.nodes[here], self.nodes[there]
                start, end = self.switch[a.rack], self.switch[b.rack]
                route = self.route(start, end) if policy is None else self.obeying(self.policies[policy], start, end)
                if route is None:
                    return None
                crossings.update([a.up, *route, b.down])
        slowest = min(self.links[l].capacity // n for l, n in crossings.items())
        if slowest == 0 or any(self.links[l].failed for l in crossings):
            return None
        return Ring(parties, dict(crossings), slowest)

    def route(self, start: int, end: int) -> Optional[list[int]]:
        """The route with the fewest working links between two switches. Of several such routes a
        breadth-first search that takes links in the order of the file finds the one whose first
        link is first in the file, among these the one whose second link is, and so on."""
        best: dict[int, list[int]] = {start: []}  # routes with as many links as there were rounds
        reached = set(best)
        while end not in reached:
            further: dict[int, list[int]] = {}
            for link, a, b in self.trunks:
                if a in best and b not in reached and not self.links[link].failed:
                    route = best[a] + [link]
                    if b not in further or route < further[b]:
                        further[b] = route
            if not further:
                return None
            best = further
            reached.update(best)
        return best[end]

    def obeying(self, policy: Policy, start: int, end: int) -> Optional[list[int]]:
        """The route between two switches that obeys a policy (section 8): it passes everything
        that it must and nothing that it has to avoid, with the fewest links; of several such
        routes the one that meets the first preference, then the second, and so on, and then the
        first in the file. Routes to a switch that have met the same labels continue in the same
        ways, so that the first with the fewest links stands for all."""
        wanted = set(policy.must_pass) | set(policy.prefer)
        if self.switches[start] & policy.avoid:
            return None
        best = {(start, frozenset(self.switches[start] & wanted)): []}
        reached = set(best)
        while best:
            ends = [
                ([label not in met for label in policy.prefer], route)
                for (switch, met), route in best.items()
                if switch == end and met >= set(policy.must_pass)
            ]
            if ends:
                return min(ends)[1]
            further: dict = {}
            for (switch, met), route in best.items():
                for link, a, b in self.trunks:
                    here = self.labels[link] | self.switches[b]
                    if a != switch or self.links[link].failed or here & policy.avoid:
                        continue
                    to = (b, met | (here & wanted))
                    if to not in reached and (to not in further or route + [link] < further[to]):
                        further[to] = route + [link]
            best = further
            reached.update(best)
        return None


def read(spec: dict) -> Cluster:
    """Expands the key `cluster` of an instance file."""
    types = spec["gpu_types"]
    cluster = Cluster(
        memory={t["name"]: q.size(t["memory"]) for t in types},
        measured={
            t["name"]: [(p["gpu"], q.ratio(p.get("speed", 1))) for p in t.get("profiled_as", [])] or [(t["name"], Fraction(1))]
            for t in types
        },
        price={t["name"]: q.ratio(t.get("price_per_hour", 0)) for t in types},
        levels=sorted(q.level(l) for l in spec.get("rate_levels") or [1, "1/2", "1/4"]),
        latency=q.duration(spec.get("latency", 0)),
        load_rate=q.speed(spec["load_rate"]) if "load_rate" in spec else None,
    )
    build = _Builder(cluster, spec.get("exceptions", []), spec.get("failed_nodes", []), spec.get("failed_gpus", []))
    if "racks" in spec:
        build.racks(spec["racks"])
    else:
        build.network(spec["switches"], spec["nodes"], spec.get("links", []))
    build.finish()
    numbers = {link.name: n for n, link in enumerate(cluster.links)}
    for name in spec.get("failed_links", []):
        if build.gone(name):
            continue
        if name not in numbers:
            raise q.Refused(f"failed_links: there is no link {name!r}")
        cluster.links[numbers[name]].failed = True
    for name, fraction in spec.get("degraded_links", {}).items():
        if build.gone(name):
            continue
        if name not in numbers:
            raise q.Refused(f"degraded_links: there is no link {name!r}")
        link = cluster.links[numbers[name]]
        link.capacity = q.floor(link.capacity * q.ratio(fraction))
        if not 0 < q.ratio(fraction) <= 1 or link.capacity == 0:
            raise q.Refused(f"degraded_links: {name!r} cannot carry {fraction} of its speed")
    everything = set().union(*cluster.switches, *cluster.labels.values())
    for name, p in spec.get("policies", {}).items():
        policy = Policy(p.get("must_pass", []), set(p.get("avoid", [])), p.get("prefer", []))
        for label in [*policy.must_pass, *policy.avoid, *policy.prefer]:
            if label not in everything:
                raise q.Refused(f"policies: {name!r} names {label!r}, which nothing has")
        cluster.policies[name] = policy
    return cluster


class _Builder:
    """Numbers nodes, GPUs and links in the order in which they are added."""

    def __init__(self, cluster: Cluster, exceptions: list[dict], failed: list[str], broken: list[str]):
        self.cluster = cluster
        self.failed = dict.fromkeys(failed, False)  # nodes out of service, and whether the cluster has them
        self.broken = dict.fromkeys(broken, False)  # GPUs likewise
        self.gpus = {e["node"]: e["gpus"] for e in exceptions if "node" in e}
        self.speeds = {e["link"]: q.speed(e["rate"]) for e in exceptions if "link" in e}

    def racks(self, racks: list[dict]) -> None:
        count = sum(r.get("count", 1) for r in racks)
        core, number = count, 0  # its number, after those of the racks' own switches
        self.cluster.switches = [{f"r{rack}"} for rack in range(count)] + [{"core"}] * (count > 1)
        for r in racks:
            if "uplink" in r:
                uplink = q.speed(r["uplink"])
            else:
                uplink = q.ceil(q.speed(r["nic"]) * r["nodes"] / q.ratio(r.get("oversubscription", 1)))
            for _ in range(r.get("count", 1)):
                switch = number
                number += 1
                self.rack(switch, [(f"r{switch}n{n}", r) for n in range(r["nodes"])])
                if count > 1:
                    self.trunk(f"r{switch}.up", uplink, switch, core)
                    self.trunk(f"r{switch}.down", uplink, core, switch)

    def network(self, switches: list[dict], nodes: list[dict], links: list[dict]) -> None:
        numbers = {s["name"]: n for n, s in enumerate(switches)}
        self.cluster.switches = [{s["name"], *s.get("labels", [])} for s in switches]
        for name, number in numbers.items():
            self.rack(number, [(n["name"], n) for n in nodes if n["switch"] == name])
        for l in links:
            name, a, b = l.get("name", f"{l['from']}-{l['to']}"), numbers[l["from"]], numbers[l["to"]]
            self.trunk(name + ".fwd", q.speed(l["rate"]), a, b, {name, *l.get("labels", [])})
            self.trunk(name + ".rev", q.speed(l["rate"]), b, a, {name, *l.get("labels", [])})

    def rack(self, switch: int, nodes: list[tuple[str, dict]]) -> None:
        """Adds the nodes under a switch that are in service; without any it is not a rack."""
        working = [(name, spec) for name, spec in nodes if name not in self.failed]
        for name, _ in nodes:
            if name in self.failed:
                self.failed[name] = True
        if working:
            self.cluster.switch.append(switch)
        for name, spec in working:
            self.node(name, len(self.cluster.switch) - 1, spec)

    def gone(self, link: str) -> bool:
        """Whether it is a link of a node that failed."""
        node, _, end = link.rpartition(".")
        return self.failed.get(node, False) and end in ("up", "down", "fabric")

    def node(self, name: str, rack: int, spec: dict) -> None:
        c = self.cluster
        if spec["gpu"] not in c.memory:
            raise q.Refused(f"node {name!r}: there is no GPU type {spec['gpu']!r}")
        first = len(c.node_of)
        working = 0
        for place in range(self.gpus.pop(name, spec["gpus"])):
            gpu = f"{name}.gpu{place}"
            if gpu in self.broken:
                self.broken[gpu] = True
            else:
                working += 1
        if working == 0:
            raise q.Refused(f"failed_gpus: node {name!r} has no GPU left")
        gpus = list(range(first, first + working))
        c.node_of += [len(c.nodes)] * len(gpus)
        up, down = (self.link(f"{name}.{way}", q.speed(spec["nic"])) for way in ("up", "down"))
        fabric = self.link(name + ".fabric", q.speed(spec["fabric"]))
        c.nodes.append(Node(name, rack, spec["gpu"], gpus, up, down, fabric))

    def link(self, name: str, capacity: int) -> int:
        self.cluster.links.append(Link(name, self.speeds.pop(name, capacity)))
        return len(self.cluster.links) - 1

    def trunk(self, name: str, capacity: int, start: int, end: int, labels: Iterable[str] = ()) -> None:
        link = self.link(name, capacity)
        self.cluster.trunks.append((link, start, end))
        self.cluster.labels[link] = {name, *labels}

    def finish(self) -> None:
        for name, met in self.failed.items():
            if not met:
                raise q.Refused(f"failed_nodes: there is no node {name!r}")
        for name, met in self.broken.items():
            if not met and not self.failed.get(name.rpartition(".gpu")[0], False):
                raise q.Refused(f"failed_gpus: there is no GPU {name!r}")
        if not self.cluster.nodes:
            raise q.Refused("no node is in service")
        for name in [*self.gpus, *self.speeds]:
            if name in self.failed or self.gone(name):
                continue
            raise q.Refused(f"exceptions: there is no {name!r}")
