"""Profiles of models: what each depth of a worker takes. docs/problem.md, section 2, "Profile"."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import quantities as q


class Profile:
    """Sums over the last d layers are lists with index d, from 0 to L."""

    def __init__(self, spec: dict):
        self.model: str = spec["model"]
        self.gpu: str = spec["gpu"]
        self.batch: int = spec["batch"]
        self.gpus: int = spec.get("gpus", 1)  # of a worker, together
        self.workspace = q.size(spec.get("workspace", 0))  # the most of any depth
        self.half = "precision" in spec  # 16 bit
        self.layers = spec["layers"]
        from_loss = self.layers[::-1]
        self.full = len(from_loss)
        self.forward = sum(q.duration(l["forward"]) for l in from_loss)  # ns
        self.backward = _sums(q.duration(l["backward"]) for l in from_loss)  # ns
        self.parameters = _sums(q.size(l.get("parameters", 0)) for l in from_loss)  # bytes
        self.activations = _sums(q.size(l.get("activations", 0)) for l in from_loss)  # bytes
        joined = [l.get("joined", False) for l in from_loss]
        self.forwards = _sums(q.duration(l["forward"]) for l in from_loss)  # ns
        self.inputs = [q.size(l.get("input", 0)) for l in from_loss]  # of each layer
        # The deepest layer that a worker back-propagates must begin a block.
        self.cuts = [d for d in range(1, self.full + 1) if d == self.full or not joined[d - 1]]

    def same_layers(self, other: Profile) -> bool:
        """Whether depths mean the same in both."""
        return self.parameters == other.parameters and self.cuts == other.cuts

    def blocks(self) -> list[tuple[int, int]]:
        """The blocks from the loss: each from depth a to depth b."""
        ends = sorted({*self.cuts, self.full})
        return list(zip([0] + ends, ends))

    def largest_block(self) -> int:
        """The most parameter bytes of a block."""
        return max(self.parameters[b] - self.parameters[a] for a, b in self.blocks())

    def time(self, depth: int, checkpointing: bool = False) -> int:
        """Nanoseconds of a pass on the GPU that was measured."""
        return self.forward + self.backward[depth] + (self.forwards[depth] if checkpointing else 0)

    def kept(self, depth: int, checkpointing: bool = False) -> int:
        """Bytes kept for a backward pass of that depth."""
        if not checkpointing:
            return self.activations[depth]
        blocks = [(a, b) for a, b in self.blocks() if b <= depth]
        inputs = sum(self.inputs[b - 1] for _, b in blocks)  # of the first layer of each
        return inputs + max(self.activations[b] - self.activations[a] for a, b in blocks)

    def workspace_of(self, depth: int, checkpointing: bool = False) -> int:
        """Bytes that a task of that depth takes besides."""
        if checkpointing:
            return self.workspace
        return q.size(self.layers[-depth].get("workspace", 0)) or self.workspace

    def even_cuts(self, n: int) -> set[int]:
        """The shallowest cuts that hold at least 1/n, 2/n, ... (n-1)/n of the backward time."""
        whole = self.backward[self.full]
        return {next(d for d in self.cuts if n * self.backward[d] >= i * whole) for i in range(1, n)}

    def fraction(self, depth: int, measure: str) -> Fraction:
        """Of the full depth: its share of the backward time, or of the layers."""
        if measure == "layers" or self.backward[self.full] == 0:
            return Fraction(depth, self.full)
        return Fraction(self.backward[depth], self.backward[self.full])


def _sums(values) -> list[int]:
    return [0, *accumulate(values)]


class Library:
    """Profiles by model: an instance file's own, or else those of profile files."""

    def __init__(self, own: dict, files: list[dict]):
        self._specs: dict[str, list[dict]] = {}
        for spec in own.get("profiles", []):
            self._specs.setdefault(spec["model"], []).append(spec)
        shared: dict[str, list[dict]] = {}
        for file in files:
            for spec in file["profiles"]:
                shared.setdefault(spec["model"], []).append(spec)
        self._specs = {**shared, **self._specs}
        self._read: dict[str, list[Profile]] = {}

    def of(self, model: str) -> list[Profile]:
        if model not in self._read:
            self._read[model] = [Profile(spec) for spec in self._specs.get(model, [])]
        return self._read[model]
