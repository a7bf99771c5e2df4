"""Runs the tasks of a plan on a device, and compares their times and memory with the profiles that it was made from.

    jigsaw plan cluster.yaml --profiles measured.json -o json > plan.json
    python3 jigsaw_run.py plan.json --profiles measured.json --dtype bf16 \\
        --job bert=mymodels.py:make_bert,batch=16 --job 'resnet=mymodels.py:make_resnet,batch=64,blocks=layer?.*'

The GPUs of the plan are played one after another on one device: the jobs that live on a GPU are built there, and their
tasks run in the plan's order, back to back, each to its depth. Tasks are not delayed, and gradients are not sent. So what
is compared is how long each task takes, and how much memory, where other jobs live beside its own.

All jobs are in one process and share its memory. With --processes each job has a process, and they take turns; with
--release they give back what they do not keep after every task. With --together they do not take turns: each does its
tasks as fast as the device lets it, which is how jobs share a GPU that nobody plans.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import statistics
import sys
import time
from pathlib import Path

import torch

import jigsaw_profile as jp

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, None: None}


class Job:
    """A job's model on the device."""

    def __init__(self, options: dict, o: argparse.Namespace):
        self.device, self.release = torch.device(o.device), o.release
        dtype = DTYPES[o.dtype]
        model, inputs, loss = jp.load(options["factory"], int(options["batch"]))
        self.model = model.to(self.device, dtype).train()
        blocks = jp.find_blocks(self.model, options.get("blocks"))
        self.profiler = jp.Profiler(self.model, jp.placed(inputs, self.device, dtype), loss, blocks, self.device)

    def run(self, depth: int) -> dict:
        """Does one task: its nanoseconds, and its bytes at most, beside parameters and gradients."""
        self.profiler.freeze(self.profiler.cut(depth))
        self.profiler.clock.wait()
        cuda = self.device.type == "cuda"
        if cuda:
            torch.cuda.reset_peak_memory_stats()
        start = time.perf_counter_ns()
        self.profiler.forward().backward()
        self.profiler.clock.wait()
        end = time.perf_counter_ns()
        # What is still allocated after the task is parameters, and the gradients that it made.
        held = torch.cuda.max_memory_allocated() - torch.cuda.memory_allocated() if cuda else 0
        self.model.zero_grad(set_to_none=True)
        if self.release and cuda:
            torch.cuda.empty_cache()
        return {"time": end - start, "bytes": held}


def serve(options: dict, o: argparse.Namespace, pipe):
    """The process of a job: does tasks of the depths that are asked for, until it is asked for None."""
    try:
        job = Job(options, o)
        pipe.send(None)
        while (depth := pipe.recv()) is not None:
            pipe.send(job.run(depth))
    except jp.Refused as refused:
        print(f"jigsaw_run: {refused}", file=sys.stderr)


class Process:
    """A Job in a process of its own."""

    def __init__(self, options: dict, o: argparse.Namespace):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=serve, args=(options, o, other), daemon=True)
        self.process.start()
        other.close()

    def ask(self, depth: int):
        self.pipe.send(depth)

    def answer(self):
        try:
            return self.pipe.recv()
        except EOFError as error:
            raise jp.Refused("the process of a job ended; its message is above") from error

    def run(self, depth: int) -> dict:
        self.ask(depth)
        return self.answer()

    def close(self):
        self.ask(None)
        self.process.join()


def play(tasks: list[dict], o: argparse.Namespace) -> tuple[float, int]:
    """Does the tasks of one GPU of the plan and writes what they took into them; the nanoseconds of all, and the device's bytes in use."""
    jobs = {name: (Process if o.processes else Job)(o.jobs[name], o) for name in sorted({t["job"] for t in tasks})}
    if o.processes:
        for j in jobs.values():
            j.answer()  # its model is on the device
    for name, depth in sorted({(t["job"], t["depth"]) for t in tasks}):
        for _ in range(o.warmup):
            jobs[name].run(depth)
    start = time.perf_counter_ns()
    if o.together:
        for t in tasks:
            jobs[t["job"]].ask(t["depth"])
        for t in tasks:
            t |= jobs[t["job"]].answer()
    else:
        for t in tasks:
            t |= jobs[t["job"]].run(t["depth"])
    took = time.perf_counter_ns() - start
    used = 0
    if torch.device(o.device).type == "cuda":
        free, total = torch.cuda.mem_get_info()
        used = total - free
    if o.processes:
        for j in jobs.values():
            j.close()
    jobs.clear()
    gc.collect()  # models refer to themselves
    if used:
        torch.cuda.empty_cache()
    return took, used


# --- what the plan says ------------------------------------------------------------------------

UNITS = {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}
SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def amount(text, units: dict[str, float]) -> float:
    """The number of a text like 1.5ms or 64KiB."""
    if isinstance(text, (int, float)):
        return text
    number = text.rstrip("".join(units))
    try:
        return float(number) * units[text[len(number):]]
    except (KeyError, ValueError) as error:
        raise jp.Refused(f"{text!r} in a profile is no number with one of the units {', '.join(units)}") from error


def expected(profile: dict, depth: int) -> tuple[float, float]:
    """Nanoseconds and bytes of a task, by the profile: docs/problem.md, section 2."""
    layers = profile["layers"]
    deep = layers[len(layers) - depth:]

    def total(key: str, of: list[dict], units: dict[str, float]) -> float:
        return sum(amount(l.get(key, 0), units) for l in of)

    workspace = amount(deep[0].get("workspace", profile.get("workspace", 0)), SIZES)
    return total("forward", layers, UNITS) + total("backward", deep, UNITS), workspace + total("activations", deep, SIZES)


def parse_job(text: str) -> tuple[str, dict]:
    """NAME=FILE.py:factory,batch=16,blocks=PATTERN"""
    name, equals, rest = text.partition("=")
    factory, *more = rest.split(",")
    options = dict(m.partition("=")[::2] for m in more) | {"factory": factory}
    if not equals or ":" not in factory or set(options) - {"factory", "batch", "blocks", "model"} or not options.get("batch", "").isdigit():
        raise jp.Refused(f"--job {text!r}: write NAME=FILE.py:factory,batch=16, and if necessary ,blocks=PATTERN and ,model=NAME")
    options.setdefault("model", factory.rpartition(":")[2].removeprefix("make_"))
    return name, options


def arguments(given: list[str] | None) -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="jigsaw_run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("plan", help="what jigsaw plan -o json wrote, with every task (a plan of seconds)")
    p.add_argument("--profiles", action="append", required=True, help="the profiles that the plan was made with (repeatable)")
    p.add_argument("--job", action="append", required=True, metavar="NAME=FILE.py:factory,batch=N",
                   help="how a job's model is made; ,blocks=PATTERN as it was profiled; ,model=NAME of its profile (repeatable)")
    p.add_argument("--gpus", type=int, help="play only so many GPUs of the plan (default: all)")
    p.add_argument("--dtype", choices=["fp32", "bf16", "fp16"], help="of weights and inputs, as they were profiled")
    p.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="cuda, cuda:1, cpu (default: cuda where there is one)")
    p.add_argument("--warmup", type=int, default=2, help="tasks of each depth before (default 2)")
    p.add_argument("--processes", action="store_true", help="a process for each job; they take turns")
    p.add_argument("--release", action="store_true", help="give memory back to the device after each task")
    p.add_argument("--together", action="store_true", help="a process for each job, without turns")
    p.add_argument("--file", help="write every task with what it took here, as JSON")
    o = p.parse_args(given)
    o.processes |= o.together
    o.jobs = dict(parse_job(text) for text in o.job)
    return o


def main(given: list[str] | None = None) -> int:
    try:
        return run(arguments(given))
    except jp.Refused as refused:
        print(f"jigsaw_run: {refused}", file=sys.stderr)
        return 2


def run(o: argparse.Namespace) -> int:
    plan = json.loads(Path(o.plan).read_text(encoding="utf-8"))
    tasks = (plan.get("schedule") or {}).get("tasks")
    if not tasks:
        raise jp.Refused(f"{o.plan} lists no tasks; write it with jigsaw plan -o json, for a plan of seconds")
    profiles = {(p["model"], p["batch"]): p for name in o.profiles for p in json.loads(Path(name).read_text(encoding="utf-8"))["profiles"]}
    for name in sorted({t["job"] for t in tasks}):
        if name not in o.jobs:
            raise jp.Refused(f"the plan has a job {name!r}; say how its model is made: --job {name}=FILE.py:factory,batch=N")
        key = o.jobs[name]["model"], int(o.jobs[name]["batch"])
        if key not in profiles:
            raise jp.Refused(f"there is no profile of {key[0]} at batch {key[1]} in {', '.join(o.profiles)}")
        o.jobs[name]["profile"] = profiles[key]

    gpus = sorted({t["gpu"] for t in tasks})[:o.gpus]
    print("GPU  tasks  planned     measured    difference  wall        device memory")
    for gpu in gpus:
        queue = sorted((t for t in tasks if t["gpu"] == gpu), key=lambda t: t["start"])
        took, used = play(queue, o)
        planned = sum(t["end"] - t["start"] for t in queue) * plan["tick_us"] * 1e3
        measured = sum(t["time"] for t in queue)
        wall = f"{took / 1e6:.1f} ms"
        print(f"{gpu:<4} {len(queue):<6} {planned / 1e6:<8.1f} ms {measured / 1e6:<8.1f} ms {100 * (measured / planned - 1):<+8.1f} %  {wall:<11} {used / 2**30:.2f} GiB")

    done = [t for t in tasks if "time" in t]
    print("\njob           depth  tasks  profile     measured    difference  memory      measured")
    for name, depth in sorted({(t["job"], t["depth"]) for t in done}):
        same = [t for t in done if (t["job"], t["depth"]) == (name, depth)]
        nanoseconds, size = expected(o.jobs[name]["profile"], depth)
        median, held = statistics.median(t["time"] for t in same), max(t["bytes"] for t in same)
        print(f"{name:<13} {depth:<6} {len(same):<6} {nanoseconds / 1e6:<8.2f} ms {median / 1e6:<8.2f} ms {100 * (median / nanoseconds - 1):<+8.1f} %  "
              f"{size / 2**30:<6.2f} GiB  {held / 2**30:<6.2f} GiB")
    if o.file:
        Path(o.file).write_text(json.dumps(done) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
