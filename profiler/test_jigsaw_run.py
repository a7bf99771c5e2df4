"""Tests of jigsaw_run on a CPU: python3 -m unittest, in this folder. They need PyTorch."""

import contextlib
import io
import json
import tempfile
import unittest
import unittest.mock
from pathlib import Path

try:
    import torch
except ModuleNotFoundError as error:
    raise unittest.SkipTest("PyTorch is not installed: the profiler is not tested") from error

import jigsaw_run as jr

NETS = """
import torch
from torch import nn
def make_net(batch):
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 2))
    return net, torch.ones(batch, 4), lambda out: out.sum()
"""
LAYERS = [{"name": str(n), "forward": "1ms", "backward": f"{n}us", "parameters": 80, "activations": f"{n}KiB"} for n in (1, 2, 3)]


def task(job, gpu, depth, start):
    return {"job": job, "iteration": 1, "gpu": gpu, "depth": depth, "start": start, "end": start + depth}


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "runnets.py").write_text(NETS)
        self.write("profiles.json", {"version": 1, "profiles": [{"model": "net", "gpu": "cpu", "batch": 2, "workspace": "1KiB", "layers": LAYERS}]})
        self.write("plan.json", {"tick_us": 1000, "schedule": {"tasks": [
            task("b", 0, 1, 5), task("a", 0, 3, 0), task("a", 1, 2, 0), task("b", 1, 3, 2)]}})

    def write(self, name, document):
        (self.folder / name).write_text(json.dumps(document))

    def run_plan(self, *more, jobs=("a", "b")):
        errors, out = io.StringIO(), io.StringIO()
        given = [str(self.folder / "plan.json"), "--profiles", str(self.folder / "profiles.json"), "--device", "cpu"]
        for job in jobs:
            given += ["--job", f"{job}={self.folder / 'runnets.py'}:make_net,batch=2"]
        given += more
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(out):
            code = jr.main(given)
        return code, out.getvalue(), errors.getvalue()

    def test_every_task_is_done_and_compared(self):
        file = self.folder / "done.json"
        for how in [], ["--processes", "--gpus", "1"], ["--together", "--gpus", "1"]:
            code, printed, errors = self.run_plan(*how, "--file", str(file))
            self.assertEqual(code, 0, errors)
            done = json.loads(file.read_text())
            self.assertEqual(len(done), 2 if how else 4)
            self.assertTrue(all(t["time"] > 0 for t in done))
            self.assertRegex(printed, r"(?m)^0 +2 +4\.0 +ms")  # planned: 3 and 1 ticks of a millisecond
            self.assertRegex(printed, r"(?m)^a +3 +1 +3\.01 +ms")  # 3 x 1 ms forward, 1 + 2 + 3 us backward

    def test_tasks_go_to_their_depth_in_the_order_of_their_starts(self):
        ran = []

        class Recorded(jr.Job):
            def run(self, depth):
                done = super().run(depth)
                ran.append((depth, [layer.weight.requires_grad for layer in self.model]))
                return done

        with unittest.mock.patch.object(jr, "Job", Recorded):
            self.run_plan("--gpus", "1", "--warmup", "0")
        self.assertEqual(ran, [(3, [True, True, True]), (1, [False, False, True])])

    def test_what_a_profile_says_of_a_task(self):
        profile = {"workspace": "1KiB", "layers": LAYERS}
        self.assertEqual(jr.expected(profile, 2), (3e6 + 5e3, (1 + 2 + 3) * 1024))
        profile["layers"] = [LAYERS[0], LAYERS[1] | {"workspace": 7}, LAYERS[2]]
        self.assertEqual([jr.expected(profile, d)[1] for d in (1, 2, 3)], [4 * 1024, 5 * 1024 + 7, 7 * 1024])
        self.assertEqual(jr.amount("1.5ms", jr.UNITS), 1.5e6)
        self.assertEqual(jr.amount("2us", jr.UNITS), 2e3)
        self.assertEqual(jr.amount("3s", jr.UNITS), 3e9)
        self.assertEqual(jr.amount(7, jr.SIZES), 7)
        with self.assertRaisesRegex(jr.jp.Refused, "'2 weeks' in a profile is no number with one of the units ns, us"):
            jr.amount("2 weeks", jr.UNITS)

    def test_mistakes(self):
        def refused(text, *more, **jobs):
            code, _, errors = self.run_plan(*more, **jobs)
            self.assertEqual(code, 2)
            self.assertRegex(errors, text)

        refused("the plan has a job 'b'; say how its model is made: --job b=", jobs=["a"])
        refused("write NAME=FILE.py:factory,batch=16", "--job", "c=nets.py")
        refused("no profile of net at batch 3", "--job", f"b={self.folder / 'runnets.py'}:make_net,batch=3")
        self.write("plan.json", {"tick_us": 1000, "schedule": None})
        refused("lists no tasks")


if __name__ == "__main__":
    unittest.main()
