"""Measures a layer profile of a PyTorch model for JigSaw, the way structured partial
backpropagation (SPB) runs it.

    python3 jigsaw_profile.py mymodels.py:make_gpt --gpu h100 --batch 8 --file gpt.json

The factory returns a model, the inputs of one batch (a tensor, tuple or dict), and a function
that computes the loss from the model's output. It may take the batch size.

Back-propagation may stop before any block: a module that matches a pattern (--blocks 'layers.*') or, by
default, a child of the longest ModuleList or Sequential. What runs before the first block is a layer
called stem; what runs after the last block, with the loss, is a layer called head. Without parameters
they are merged into their neighbours. What runs between two blocks counts for the first of them.

Times: for each layer c all parameters before it are frozen, and a whole task, forward and backward pass, is timed,
T(c). Forward passes alone are timed as well, F, with the graph of the shallowest task. All take turns. Backward times are
fitted to T(c) - F, so that equal blocks with equal activations and inputs have equal times: single differences
T(c) - T(c + 1) may be hardly larger than the noise of T. So a task of any depth takes in the profile what it took
here, up to noise. Hooks run in passes of their own, which only say how F is divided among layers: they slow down a model
that the processor launches hardly faster than the GPU runs it.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib.util
import inspect
import json
import statistics
import sys
import time
from pathlib import Path

import torch
from torch import nn

OPTIMIZERS = {  # by their names in jobs
    "sgd": lambda parameters: optimizer_of(torch.optim.SGD, parameters),
    "momentum": lambda parameters: optimizer_of(torch.optim.SGD, parameters, momentum=0.9),
    "adam": lambda parameters: optimizer_of(torch.optim.AdamW, parameters),
}


def optimizer_of(kind, parameters, **options):
    """An optimizer, fused on a GPU where this PyTorch has it."""
    if parameters[0].is_cuda and "fused" in inspect.signature(kind).parameters:
        options["fused"] = True
    return kind(parameters, lr=1e-6, **options)


def copy_all(into: list[torch.Tensor], of: list[torch.Tensor]):
    """Copies tensors: with few launches on a GPU, from PyTorch 2.1 on."""
    if into and hasattr(torch, "_foreach_copy_"):
        torch._foreach_copy_(into, of)
    else:
        for a, b in zip(into, of):
            a.copy_(b)


class Refused(Exception):
    """Something that cannot be measured; the message says what to change."""


# --- the model ---------------------------------------------------------------------------------


def load(where: str, batch: int):
    """The model, inputs and loss function of FILE.py:factory or package.module:factory."""
    place, colon, name = where.rpartition(":")
    if not colon or not name.isidentifier():
        raise Refused(f"{where!r}: write FILE.py:factory, where factory() returns model, inputs, loss function")
    if place.endswith(".py"):
        path = Path(place)
        if not path.is_file():
            raise Refused(f"there is no file {place!r}")
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, "")
        try:
            module = importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise Refused(f"{place!r}: {error}; name a file, FILE.py:factory") from error
    factory = getattr(module, name, None)
    if not callable(factory):
        raise Refused(f"{place} has no function {name!r}")
    takes_batch = "batch" in inspect.signature(factory).parameters
    made = factory(batch=batch) if takes_batch else factory()
    if not isinstance(made, tuple) or len(made) != 3 or not isinstance(made[0], nn.Module) or not callable(made[2]):
        raise Refused(f"{where} must return a model, its inputs and a loss function")
    return made


def find_blocks(model: nn.Module, pattern: str | None) -> dict[str, nn.Module]:
    """Blocks by name: modules that match the pattern, or the children of the longest list."""
    if type(model).__name__ == "OptimizedModule":
        raise Refused("torch.compile hides the modules; return the model before it is compiled")
    if pattern:
        found = {name: m for name, m in model.named_modules() if name and fnmatch.fnmatchcase(name, pattern)}
        depth = {name.count(".") for name in found}
        if depth:  # 'layers.*' means the children of layers, not their parts
            found = {name: m for name, m in found.items() if name.count(".") == min(depth)}
        if not found:
            raise Refused(f"no module matches --blocks {pattern!r}; there are {', '.join(n for n, _ in model.named_children())}")
        return found
    lists = [(len(m), -name.count("."), name, m) for name, m in model.named_modules() if isinstance(m, (nn.ModuleList, nn.Sequential))]
    if not lists or max(lists)[0] < 2:
        raise Refused("the model has no ModuleList or Sequential of two or more modules; name its blocks: --blocks 'PATTERN'")
    _, _, name, longest = max(lists, key=lambda l: l[:2])
    return {f"{name}.{n}" if name else n: m for n, m in longest.named_children()}


def tensors(value):
    """All tensors in nested tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for v in value.values():
            yield from tensors(v)
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors(v)


def placed(value, device, dtype):
    """A copy with its tensors on a device, and floating-point tensors converted to dtype if one is given."""
    if isinstance(value, torch.Tensor):
        return value.to(device, dtype if dtype and value.is_floating_point() else None)
    if isinstance(value, dict):
        return type(value)((k, placed(v, device, dtype)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return type(value)(placed(v, device, dtype) for v in value)
    return value


def storage(t: torch.Tensor):
    """The memory of a tensor: its address, and its size in bytes."""
    s = t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage().untyped()
    return s.data_ptr(), s.nbytes()


# --- clocks ------------------------------------------------------------------------------------


class Clock:
    """Marks points in time without waiting for the device."""

    def __init__(self, device: torch.device):
        self.cuda = device.type == "cuda"

    def mark(self):
        if not self.cuda:
            return time.perf_counter_ns()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def between(self, a, b) -> float:
        """Nanoseconds between two marks, once the device has passed both."""
        return a.elapsed_time(b) * 1e6 if self.cuda else float(b - a)


# --- measuring ---------------------------------------------------------------------------------


class Profiler:
    def __init__(self, model, inputs, loss, blocks: dict[str, nn.Module], device: torch.device):
        self.model, self.loss = model, loss
        self.inputs = inputs if isinstance(inputs, (tuple, dict)) else (inputs,)
        self.clock = Clock(device)
        self.current = 0  # the layer that runs
        self.marks: list = []
        self.seen: list[str] = []
        self.input_bytes: dict[str, int] = {}
        self.names = blocks
        self._order()

    def forward(self):
        out = self.model(**self.inputs) if isinstance(self.inputs, dict) else self.model(*self.inputs)
        return self.loss(out)

    def _order(self):
        """One forward pass that finds the order of blocks, the bytes that each reads, and the layer of each parameter."""
        layer_of: dict[int, int] = {}  # storage of a parameter to the deepest layer that reads it
        handles, inside = [], set()
        for name, block in self.names.items():
            inside.update(id(m) for m in block.modules())
            handles.append(block.register_forward_pre_hook(self._enter(name)))

        def own(module, _inputs):
            for p in module.parameters(recurse=False):
                key = storage(p)[0]
                layer_of[key] = min(layer_of.get(key, self.current), self.current)

        for m in self.model.modules():
            if any(True for _ in m.parameters(recurse=False)):
                handles.append(m.register_forward_pre_hook(own))
        last = list(self.names.values())

        def leave(module, _inputs, out):
            if len(self.seen) == len(self.names):
                self.current = len(self.names) + 1
                self.input_bytes["head"] = sum(t.numel() * t.element_size() for t in tensors(out))

        handles += [m.register_forward_hook(leave) for m in last]
        self.current = 0
        loss = self.forward()
        for h in handles:
            h.remove()
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1 or not loss.requires_grad:
            raise Refused("the loss is not one number with a gradient; return a function of the model's output that makes one")
        missing = [n for n in self.names if n not in self.seen]
        if missing:
            raise Refused(f"{', '.join(missing)} did not run in the forward pass; choose other blocks")
        if len(self.seen) != len(set(self.seen)):
            twice = next(n for n in self.seen if self.seen.count(n) > 1)
            raise Refused(f"{twice} runs more than once in a forward pass; choose blocks that run once")
        self.blocks = {n: self.names[n] for n in self.seen}  # in order of the forward pass
        self.layers = ["stem", *self.seen, "head"]
        self.input_bytes["stem"] = sum(t.numel() * t.element_size() for t in tensors(self.inputs))
        self.parameters: list[list[nn.Parameter]] = [[] for _ in self.layers]
        done = set()
        for p in self.model.parameters():  # those that no module reads itself are the stem's
            key = storage(p)[0]
            if key not in done:
                done.add(key)
                self.parameters[layer_of.get(key, 0)].append(p)
        self.storages = done
        self.trainable = [any(p.requires_grad for p in ps) for ps in self.parameters]
        self.wanted = [[p for p in ps if p.requires_grad] for ps in self.parameters]

    def _enter(self, name):
        def hook(_module, inputs):
            if name in self.input_bytes:
                self.seen.append(name)  # once more, to be refused
                return
            self.seen.append(name)
            self.current = len(self.seen)
            self.input_bytes[name] = sum(t.numel() * t.element_size() for t in tensors(inputs))

        return hook

    def activations(self) -> list[int]:
        """Bytes that autograd saves in each layer for the backward pass: each storage once, without parameters."""
        kept: dict[int, tuple[int, int]] = {}

        def pack(t):
            key, size = storage(t)
            if key not in self.storages:
                kept.setdefault(key, (self.current, size))
            return t

        handles = self._watch(lambda layer: setattr(self, "current", layer))
        self.current = 0
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            self.forward()
        for h in handles:
            h.remove()
        total = [0] * len(self.layers)
        for layer, size in kept.values():
            total[layer] += size
        return total

    def _watch(self, entered):
        """Calls entered(layer) whenever a layer begins; returns the hooks' handles."""
        blocks = list(self.blocks.values())
        handles = [b.register_forward_pre_hook(lambda _m, _i, n=n: entered(n + 1)) for n, b in enumerate(blocks)]
        handles.append(blocks[-1].register_forward_hook(lambda _m, _i, _o: entered(len(blocks) + 1)))
        return handles

    def hooked_times(self, cut: int, iterations: int, warmup: int, progress) -> list[list[float]]:
        """Nanoseconds of each layer in forward passes with hooks, with the graph of tasks that stop before a layer."""
        samples: list[list[float]] = [[] for _ in self.layers]
        handles = self._watch(lambda _layer: self.marks.append(self.clock.mark()))
        self.freeze(cut)
        for n in range(warmup + iterations):
            self.clock.wait()
            self.marks = [self.clock.mark()]
            self.forward()
            self.marks.append(self.clock.mark())
            self.clock.wait()
            if n >= warmup:
                for layer, (a, b) in enumerate(zip(self.marks, self.marks[1:])):
                    samples[layer].append(self.clock.between(a, b))
            progress()
        self.freeze(0)
        for h in handles:
            h.remove()
        return samples

    def freeze(self, cut: int):
        """Lets backward passes stop before a layer; 0 lets them go through all."""
        for layer, parameters in enumerate(self.wanted):
            for p in parameters:
                p.requires_grad_(layer >= cut)

    def cut(self, depth: int) -> int:
        """The layer that backward passes of a depth stop before, where a depth is a number of the profile's layers."""
        written = [i for i in range(len(self.layers)) if self.parameters[i] or 0 < i < len(self.layers) - 1]
        if not 1 <= depth <= len(written):
            raise Refused(f"there is no depth {depth}: the model has {len(written)} layers")
        return 0 if depth == len(written) else written[-depth]

    def task_times(self, cuts: list[int], iterations: int, warmup: int, progress) -> dict[int, list[float]]:
        """Nanoseconds of whole tasks that stop before each of the layers, without hooks, and, by the number of layers, of
        forward passes alone with the graph of the last of these tasks. They take turns: what slows the device down slows all.
        """
        none = len(self.layers)  # the cut after which nothing is left
        samples: dict[int, list[float]] = {cut: [] for cut in [*cuts, none]}
        try:
            for n in range(warmup + iterations):
                for cut, times in samples.items():
                    self.freeze(min(cut, cuts[-1]))
                    self.clock.wait()
                    start = self.clock.mark()
                    loss = self.forward()
                    if cut < none:
                        loss.backward()
                    end = self.clock.mark()
                    self.clock.wait()
                    del loss
                    self.model.zero_grad(set_to_none=True)
                    if n >= warmup:
                        times.append(self.clock.between(start, end))
                    progress()
        finally:
            self.freeze(0)
        return samples

    def workspaces(self, kept: list[int], cuts: list[int]) -> dict[int, int]:
        """The most that tasks which stop before each of the layers take in bytes, without parameters, gradients, and the
        activations that they keep; none if that is unknown.

        A task that stops before a deep layer keeps little, but what the layers before it pass on takes memory all the same.
        """
        found: dict[int, int] = {}
        for cut in cuts if self.clock.cuda else []:
            self.freeze(cut)
            self.model.zero_grad(set_to_none=True)
            self.clock.wait()
            torch.cuda.reset_peak_memory_stats()
            self.forward().backward()
            self.clock.wait()
            # What is left is parameters and gradients. 0 would stand for the profile's workspace.
            found[cut] = max(1, torch.cuda.max_memory_allocated() - torch.cuda.memory_allocated() - sum(kept[cut:]))
        self.freeze(0)
        self.model.zero_grad(set_to_none=True)
        return found

    def update_times(self, optimizer: str, iterations: int, warmup: int, progress) -> list[float]:
        """Nanoseconds of an optimizer's steps for all parameters; those of 16 bit have copies and states in 32 bit."""
        self.forward().backward()
        trained = [p for p in self.model.parameters() if p.requires_grad and p.grad is not None]
        copies = [nn.Parameter(p.detach().float()) if p.element_size() < 4 else p for p in trained]
        halves = [(copy, p) for copy, p in zip(copies, trained) if copy is not p]
        for copy, _ in halves:
            copy.grad = torch.zeros_like(copy)
        weights32, gradients32 = [copy.detach() for copy, _ in halves], [copy.grad for copy, _ in halves]
        weights16, gradients16 = [p.detach() for _, p in halves], [p.grad for _, p in halves]
        step = OPTIMIZERS[optimizer](copies).step
        samples = []
        for n in range(warmup + iterations):
            self.clock.wait()
            start = self.clock.mark()
            copy_all(gradients32, gradients16)
            step()
            copy_all(weights16, weights32)
            end = self.clock.mark()
            self.clock.wait()
            if n >= warmup:
                samples.append(self.clock.between(start, end))
            progress()
        self.model.zero_grad(set_to_none=True)
        return samples


def measure(profiler: Profiler, iterations: int, warmup: int, report=lambda _done, _of: None, optimizer: str | None = None) -> tuple[list[dict], dict]:
    """The layers of a profile, and facts about the measurement for its notes."""
    cuts = [c for c in range(len(profiler.layers)) if profiler.trainable[c]]
    if not cuts:
        raise Refused("no parameter requires a gradient")
    of, done = (warmup + iterations) * (len(cuts) + 2 + bool(optimizer)), 0

    def progress():
        nonlocal done
        done += 1
        report(done, of)

    kept = profiler.activations()
    hooked = [statistics.median(s) for s in profiler.hooked_times(cuts[-1], iterations, warmup, progress)]
    tasks = profiler.task_times(cuts, iterations, warmup, progress)
    update = statistics.median(profiler.update_times(optimizer, iterations, warmup, progress)) if optimizer else 0.0

    spread, medians = 0.0, {}
    for c, times in tasks.items():
        medians[c] = statistics.median(times)
        if len(times) > 1 and medians[c] > 0:
            low, _, high = statistics.quantiles(times, n=4)
            spread = max(spread, (high - low) / medians[c])
    alone = min(medians.values())  # no task is shorter than its forward pass, whatever was measured of both
    forward = [h * alone / (sum(hooked) or 1.0) for h in hooked]
    backward = [0.0] * len(profiler.layers)
    alike = [(repr(profiler.blocks.get(n, n)), kept[i], profiler.input_bytes[n]) for i, n in enumerate(profiler.layers)]
    kinds = [tuple(alike[c:after]) for c, after in zip(cuts, [*cuts[1:], len(alike)])]
    for c, took in zip(reversed(cuts), fitted([medians[c] - alone for c in reversed(cuts)], kinds[::-1])):
        backward[c] = took
    spaces = profiler.workspaces(kept, cuts)
    most = max(spaces.values(), default=0)
    if spaces:
        spaces[0] = spaces[cuts[0]]  # full depth
    layers: list[dict] = []
    for i, name in enumerate(profiler.layers):
        layer = {
            "name": name,
            # Every worker updates all parameters before its next forward pass, whatever its depth.
            "forward": round(forward[i] + (update if i == 0 else 0)),
            "backward": round(backward[i]),
            "parameters": sum(p.numel() * p.element_size() for p in profiler.parameters[i]),
            "activations": kept[i],
            "input": profiler.input_bytes[name],
        }
        if i > 0 and not profiler.trainable[i]:
            layer["joined"] = True  # nothing to train: no depth begins here
        if spaces.get(i, most) < most:
            layer["workspace"] = spaces[i]
        layers.append(layer)
    if not profiler.parameters[0]:
        merge(layers, 0, layers[1])
    if not profiler.parameters[-1]:
        merge(layers, -1, layers[-2])
    for layer in layers:
        for key in ("forward", "backward"):
            layer[key] = f"{layer[key]}ns"
    return layers, {"spread": spread, "hooks": sum(hooked) / alone - 1 if alone else 0.0, "workspace": most, "update": update}


def fitted(longer: list[float], kinds: list) -> list[float]:
    """The backward times of layers, of which layers of a kind do the same and take equally long.

    longer[i] is by how much tasks were measured to take longer that go through the layers up to i. These sums are fitted by
    non-negative least squares, with one time for each kind (C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23).
    """
    order = sorted(set(kinds), key=kinds.index)
    layers = torch.tensor([[float(kind == other) for other in order] for kind in kinds], dtype=torch.float64)
    sums, measured = layers.cumsum(0), torch.tensor(longer, dtype=torch.float64)
    times, free = torch.zeros(len(order), dtype=torch.float64), []
    for _ in range(10 * len(order)):  # it takes about as many as there are kinds; rounding might turn it in circles
        slope = sums.T @ (measured - sums @ times)
        slope[free] = 0
        if slope.max() <= 1e-9 * measured.abs().sum():
            break
        free.append(int(slope.argmax()))
        while free:
            best = torch.linalg.lstsq(sums[:, free], measured[:, None]).solution[:, 0]
            now = times[free]
            if best.min() > 0:
                times[free] = best
                break
            low = best <= 0
            step = (now[low] / (now[low] - best[low])).min()  # as far as none is negative
            times[free] = now + step * (best - now)
            free = [k for k in free if times[k] > 1e-12 * times.max()]
            times[[k for k in range(len(order)) if k not in free]] = 0
    return (layers @ times).tolist()


def merge(layers: list[dict], at: int, into: dict):
    """Merges a layer without parameters into its neighbour."""
    gone = layers.pop(at)
    for key in ("forward", "backward", "activations"):
        into[key] += gone[key]
    if at == 0:
        into["input"] = gone["input"]
        if "workspace" in gone:
            into["workspace"] = gone["workspace"]
        into.pop("joined", None)


# --- the command -------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    p = argparse.ArgumentParser(prog="jigsaw_profile", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("factory", help="FILE.py:factory, or package.module:factory")
    p.add_argument("--gpu", required=True, help="the GPU's name in clusters, like h100")
    p.add_argument("--batch", type=int, required=True, help="samples of a worker in an iteration")
    p.add_argument("--model", help="the model's name, for jobs (default: the factory's, less make_)")
    p.add_argument("--blocks", help="a pattern of module names, like 'layers.*' (default: the children of the longest list)")
    p.add_argument("--iterations", type=int, default=30, help="timed for each cut (default 30)")
    p.add_argument("--warmup", type=int, default=3, help="not timed, for each cut (default 3)")
    p.add_argument("--dtype", choices=["fp32", "bf16", "fp16"], help="of weights and inputs (default: as the factory makes them)")
    p.add_argument("--device", help="cuda, cuda:1, cpu (default: cuda where there is one)")
    p.add_argument("--checkpointing", action="store_true", help="the model recomputes its blocks by itself: written down, and inputs left out")
    p.add_argument("--optimizer", choices=OPTIMIZERS, help="time its step, too, without sharding: it counts as the first layer's forward time")
    p.add_argument("--file", help="write the profile here (default: standard output)")
    o = p.parse_args(arguments)
    if o.batch < 1 or o.iterations < 1 or o.warmup < 0:
        p.error("batch and iterations are 1 or more")
    try:
        return run(o)
    except Refused as refused:
        print(f"jigsaw_profile: {refused}", file=sys.stderr)
        return 2


def run(o) -> int:
    device = torch.device(o.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, None: None}[o.dtype]
    model, inputs, loss = load(o.factory, o.batch)
    model = model.to(device, dtype).train()
    inputs = placed(inputs, device, dtype)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(0)
        profiler = Profiler(model, inputs, loss, find_blocks(model, o.blocks), device)

        def report(done, of):
            if sys.stderr.isatty():
                bar = "#" * (40 * done // of)
                print(f"\r[{bar:<40}] {done}/{of}", end="\n" if done == of else "", file=sys.stderr, flush=True)

        layers, facts = measure(profiler, o.iterations, o.warmup, report, o.optimizer)
    name = o.factory.rpartition(":")[2]
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else "a CPU, whose workspace is not known"
    types = sorted({str(q.dtype).removeprefix("torch.") for q in model.parameters()})
    profile = {"model": o.model or name.removeprefix("make_"), "gpu": o.gpu, "batch": o.batch}
    if types in (["bfloat16"], ["float16"]):
        profile["precision"] = {"bfloat16": "bf16", "float16": "fp16"}[types[0]]
    if facts["workspace"]:
        profile["workspace"] = facts["workspace"]
    profile["source"] = {
        "repository": "measured by jigsaw_profile", "commit": f"PyTorch {torch.__version__}", "file": o.factory, "licence": "one's own",
        "note": f"On {where}; {', '.join(types)}; medians of {o.iterations} iterations, with an interquartile range of up to "
        f"{100 * facts['spread']:.0f} %; with hooks, which divide them among layers, forward passes took {100 * facts['hooks']:+.0f} %." + (" With checkpointing." if o.checkpointing else "")
        + (f" The first layer's forward time includes a step of {o.optimizer}, {facts['update'] / 1e6:.2f} ms." if o.optimizer else ""),
    }
    if o.checkpointing:
        for layer in layers:
            del layer["input"]
    profile["layers"] = layers
    text = json.dumps({"version": 1, "profiles": [profile]}, indent=1)
    if o.file:
        Path(o.file).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
