"""Tests of jigsaw_profile on a CPU: python3 -m unittest, in this folder. They need PyTorch."""

import contextlib
import io
import json
import random
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import torch
except ModuleNotFoundError as error:
    raise unittest.SkipTest("PyTorch is not installed: the profiler is not tested") from error

from torch import nn

import jigsaw_profile as jp

torch.set_num_threads(1)
CPU = torch.device("cpu")


class Watch:
    """A clock that stands still but for what Work takes."""

    cuda = False

    def __init__(self, _device=None):
        pass

    now = 0

    def mark(self):
        return Watch.now

    def wait(self):
        pass

    def between(self, a, b):
        return float(b - a)


class Takes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, forward, backward):
        Watch.now += forward
        ctx.time = backward
        return x * 1 + weight.sum() * 0

    @staticmethod
    def backward(ctx, gradient):
        Watch.now += ctx.time
        return gradient, gradient.sum().reshape(1), None, None


class Work(nn.Module):
    """Takes its time on the clock above, in nanoseconds."""

    def __init__(self, forward, backward):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.times = forward, backward

    def extra_repr(self):
        return str(self.times)

    def forward(self, x):
        return Takes.apply(x, self.weight, *self.times)


def profiler_of(model, inputs, loss=lambda out: out.sum(), blocks=None):
    return jp.Profiler(model, inputs, loss, jp.find_blocks(model, blocks), CPU)


def layers_of(model, inputs, loss=lambda out: out.sum(), blocks=None):
    layers, _ = jp.measure(profiler_of(model, inputs, loss, blocks), iterations=2, warmup=0)
    return layers


class Times(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(jp, "Clock", Watch)
        patch.start()
        self.addCleanup(patch.stop)

    def test_each_layer_has_its_own(self):
        model = nn.Sequential(Work(5, 11), Work(7, 13), Work(3, 17))
        layers, facts = jp.measure(profiler_of(model, torch.ones(2)), iterations=3, warmup=1)
        self.assertEqual([(l["forward"], l["backward"]) for l in layers], [("5ns", "11ns"), ("7ns", "13ns"), ("3ns", "17ns")])
        self.assertEqual((facts["spread"], facts["hooks"]), (0, 0))

    def test_hooks_only_divide_the_forward_pass(self):
        p = profiler_of(nn.Sequential(Work(50, 11), Work(50, 13), Work(100, 17)), torch.ones(2))
        watch = p._watch

        def slow(entered):
            def enter(layer):
                entered(layer)
                if layer <= 3:
                    Watch.now += 50

            return watch(enter)

        with mock.patch.object(p, "_watch", slow):
            layers, facts = jp.measure(p, iterations=2, warmup=0)
        self.assertEqual([l["forward"] for l in layers], ["57ns", "57ns", "86ns"], "100, 100 and 150 of 350 parts of 200 ns")
        self.assertEqual([l["backward"] for l in layers], ["11ns", "13ns", "17ns"])
        self.assertEqual(facts["hooks"], 350 / 200 - 1)

    def test_a_task_takes_what_it_took_whole(self):
        p = profiler_of(nn.Sequential(Work(1, 1), Work(2, 1), Work(1, 1)), torch.ones(2))
        # The forward pass alone was measured to take longer than the two shallowest tasks.
        took = {1: [90, 90], 2: [42, 42], 3: [40, 40], 5: [44, 44]}
        with mock.patch.object(p, "task_times", lambda *_: took):
            layers, _ = jp.measure(p, iterations=2, warmup=0)
        self.assertEqual([l["forward"] for l in layers], ["10ns", "20ns", "10ns"])
        self.assertEqual([l["backward"] for l in layers], ["48ns", "2ns", "0ns"])

    def test_each_depth_has_its_workspace(self):
        class Memory(Watch):
            cuda = True

        model = nn.Sequential(Work(5, 11), nn.Linear(2, 2), Work(7, 13), Work(3, 17))
        with mock.patch.object(jp, "Clock", Memory), mock.patch.multiple(
            torch.cuda, synchronize=mock.DEFAULT, reset_peak_memory_stats=mock.DEFAULT,
            max_memory_allocated=mock.Mock(side_effect=[1000, 1400, 1300, 1200]), memory_allocated=mock.Mock(return_value=1000)):
            layers, facts = jp.measure(profiler_of(model, torch.ones(1, 2)), iterations=1, warmup=0)
        kept = [l["activations"] for l in layers]
        self.assertEqual(facts["workspace"], 400 - sum(kept[1:]), "the most")
        self.assertEqual([l.get("workspace") for l in layers], [1, None, 300 - sum(kept[2:]), 200 - kept[3]])

    def test_what_is_frozen_takes_no_time(self):
        p = profiler_of(nn.Sequential(Work(5, 11), Work(7, 13), Work(3, 17)), torch.ones(2))
        self.assertEqual(p.task_times([1, 2], 2, 0, lambda: None), {1: [15 + 11 + 13 + 17] * 2, 2: [15 + 13 + 17] * 2, 5: [15] * 2})
        self.assertTrue(all(q.requires_grad for q in p.model.parameters()), "as before")

    def test_depths_are_those_of_the_profile(self):
        p = profiler_of(nn.Sequential(Work(5, 11), Work(7, 13), Work(3, 17)), torch.ones(2))
        layers, _ = jp.measure(p, iterations=1, warmup=0)
        nanoseconds = lambda key, of: sum(int(l[key].removesuffix("ns")) for l in of)
        for depth in range(1, len(layers) + 1):
            whole = nanoseconds("forward", layers) + nanoseconds("backward", layers[-depth:])
            self.assertEqual(p.task_times([p.cut(depth)], 1, 0, lambda: None)[p.cut(depth)], [whole])
        with self.assertRaisesRegex(jp.Refused, "no depth 4: the model has 3 layers"):
            p.cut(4)

    def test_backward_times_are_fitted(self):
        def same(got, want):
            self.assertEqual(len(got), len(want))
            for a, b in zip(got, want):
                self.assertAlmostEqual(a, b, places=6)

        same(jp.fitted([1, 3, 7], "abc"), [1, 2, 4])
        # 3, then 2: one sum of 2.5, with nothing between.
        same(jp.fitted([1, 3, 2, 4], "abcd"), [1, 1.5, 0, 1.5])
        same(jp.fitted([4, 2], "ab"), [3, 0])
        same(jp.fitted([-1, -2], "ab"), [0, 0])
        # Sums of h, h + b, h + 2 b, h + 3 b, by hand: the line through 1, 4, 4, 7.
        same(jp.fitted([1, 4, 4, 7], "hbbb"), [1.3, 1.8, 1.8, 1.8])
        # Noise of 20 % of a block's time hardly matters where blocks are equal.
        rng = random.Random(0)
        noisy = [3 + 5 * n + rng.uniform(-1, 1) for n in range(25)]
        for n, took in enumerate(jp.fitted(noisy, ["head", *["block"] * 24])[1:]):
            self.assertAlmostEqual(took, 5, delta=0.05, msg=str(n))
        # No other point of a grid is nearer to what was measured.
        for _ in range(50):
            measured, kinds = [rng.uniform(-2, 5) for _ in range(4)], [rng.choice("ab") for _ in range(4)]

            def miss(times):
                return sum((sum(times[: n + 1]) - m) ** 2 for n, m in enumerate(measured))

            least = miss(jp.fitted(measured, kinds))
            for a in range(0, 60):
                for b in range(0, 60):
                    self.assertLessEqual(least, miss([{"a": a, "b": b}[k] / 10 for k in kinds]) + 1e-6)

    def test_equal_blocks_have_equal_times(self):
        class Block(Work):
            def extra_repr(self):
                return ""

        layers = layers_of(nn.Sequential(Work(1, 7), Block(1, 4), Block(1, 6), Block(1, 5)), torch.ones(2))
        # The sums 5, 11, 15, 22 from behind: 3 blocks of t and one of u, where 5 + 2 * 11 + 3 * 15 = 14 t, and 22 = 3 t + u.
        self.assertEqual([l["backward"] for l in layers], ["7ns", "5ns", "5ns", "5ns"])

    def test_the_optimizer_counts_before_the_first_layer(self):
        def step(_optimizer):
            Watch.now += 19

        slow = lambda parameters: mock.Mock(step=lambda: step(parameters))
        with mock.patch.dict(jp.OPTIMIZERS, adam=slow):
            layers, facts = jp.measure(profiler_of(nn.Sequential(Work(5, 11), Work(7, 13)), torch.ones(2)), 2, 1, optimizer="adam")
        self.assertEqual([l["forward"] for l in layers], ["24ns", "7ns"])
        self.assertEqual(facts["update"], 19)

    def test_steps_on_copies_in_32_bit(self):
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)).bfloat16()
        p = profiler_of(model, torch.ones(1, 2).bfloat16())
        before, taken = [q.detach().clone() for q in model.parameters()], []

        def optimizer(parameters):
            def step():
                taken.extend((q.dtype, q.grad.clone()) for q in parameters)
                for q in parameters:
                    q.data += 1

            return mock.Mock(step=step)

        for foreach in None, mock.Mock(side_effect=lambda into, of: [a.copy_(b) for a, b in zip(into, of)]):
            taken.clear()
            p.forward().backward()
            gradients = [q.grad.float() for q in model.parameters()]
            model.zero_grad()
            with mock.patch.dict(jp.OPTIMIZERS, adam=optimizer), contextlib.ExitStack() as stack:
                if foreach:
                    stack.enter_context(mock.patch.object(torch, "_foreach_copy_", foreach, create=True))
                p.update_times("adam", 1, 0, lambda: None)
            for (dtype, gradient), want in zip(taken, gradients):
                self.assertEqual(dtype, torch.float32)
                self.assertTrue(torch.equal(gradient, want))
        for q, old in zip(model.parameters(), before):
            self.assertTrue(torch.allclose(q.float(), old.float() + 2, atol=0.05))

    def test_stem_and_head(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed, self.out = Work(1, 2), Work(3, 4)
                self.layers = nn.ModuleList([Work(5, 6), Work(7, 8)])

            def forward(self, x):
                x = self.embed(x)
                for layer in self.layers:
                    x = layer(x)
                return self.out(x)

        layers = layers_of(Net(), torch.ones(2))
        self.assertEqual([l["name"] for l in layers], ["stem", "layers.0", "layers.1", "head"])
        self.assertEqual([l["backward"] for l in layers], ["2ns", "6ns", "8ns", "4ns"])
        self.assertEqual([l["forward"] for l in layers], ["1ns", "5ns", "7ns", "3ns"])


class Bytes(unittest.TestCase):
    def test_mlp(self):
        layers = layers_of(nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 4)), torch.ones(2, 8))
        self.assertEqual([l["parameters"] for l in layers], [4 * (8 * 16 + 16), 0, 4 * (16 * 4 + 4)])
        # The input; the output of tanh, which both it and the last product keep; nothing more.
        self.assertEqual([l["activations"] for l in layers], [4 * 2 * 8, 4 * 2 * 16, 0])
        self.assertEqual([l["input"] for l in layers], [4 * 2 * 8, 4 * 2 * 16, 4 * 2 * 16])
        self.assertEqual([l.get("joined", False) for l in layers], [False, True, False])

    def test_in_place(self):
        block = lambda: nn.Sequential(nn.Linear(8, 8), nn.ReLU(inplace=True))
        layers = layers_of(nn.Sequential(block(), block(), block()), torch.ones(2, 8))
        self.assertEqual([l["activations"] for l in layers], [2 * 4 * 2 * 8, 4 * 2 * 8, 4 * 2 * 8])

    def test_tied_weights_count_once_where_they_are_deepest(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(10, 4)
                self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
                self.out = nn.Linear(4, 10, bias=False)
                self.out.weight = self.embed.weight

            def forward(self, ids):
                x = self.embed(ids)
                for layer in self.layers:
                    x = layer(x)
                return self.out(x)

        layers = layers_of(Net(), torch.tensor([[1, 2, 3]]))
        self.assertEqual([l["parameters"] for l in layers], [160, 80, 80])
        self.assertEqual(layers[0]["name"], "stem")

    def test_parameters_of_the_model_itself(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.positions = nn.Parameter(torch.zeros(4))
                self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

            def forward(self, x):
                x = x + self.positions
                for layer in self.layers:
                    x = layer(x)
                return x

        self.assertEqual([l["parameters"] for l in layers_of(Net(), torch.ones(1, 4))], [16, 80, 80])


class Refusals(unittest.TestCase):
    def refused(self, text, call, *arguments):
        with self.assertRaisesRegex(jp.Refused, text):
            call(*arguments)

    def test_blocks(self):
        self.refused("has no ModuleList", jp.find_blocks, nn.Linear(2, 2), None)
        self.refused("no module matches", jp.find_blocks, nn.Sequential(nn.Linear(2, 2)), "layers.*")
        self.refused("before it is compiled", jp.find_blocks, type("OptimizedModule", (nn.Module,), {})(), None)
        nested = nn.ModuleDict({"layers": nn.Sequential(nn.Sequential(nn.Linear(2, 2)), nn.Linear(2, 2))})
        self.assertEqual(list(jp.find_blocks(nested, "layers.*")), ["layers.0", "layers.1"])

    def test_a_block_that_runs_twice_or_never(self):
        class Net(nn.Module):
            def __init__(self, order):
                super().__init__()
                self.layers, self.order = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)]), order

            def forward(self, x):
                for i in self.order:
                    x = self.layers[i](x)
                return x

        self.refused("runs more than once", layers_of, Net([0, 1, 0]), torch.ones(1, 2))
        self.refused("layers.1 did not run", layers_of, Net([0]), torch.ones(1, 2))
        self.assertEqual([l["name"] for l in layers_of(Net([1, 0]), torch.ones(1, 2))], ["layers.1", "layers.0"])

    def test_losses(self):
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        self.refused("not one number with a gradient", layers_of, net, torch.ones(1, 2), lambda out: out)
        self.refused("not one number with a gradient", layers_of, net, torch.ones(1, 2), lambda out: out.sum().detach())

    def test_factories(self):
        self.refused("write FILE.py:factory", jp.load, "nets.py", 1)
        self.refused("there is no file", jp.load, "missing.py:make", 1)


class Command(unittest.TestCase):
    NETS = """
from torch import nn
import torch
def make_net(batch):
    return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)), (torch.ones(batch, 4),), lambda out: out.float().sum()
def bad():
    return 7
"""

    def command(self, *arguments):
        errors, out = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(out):
            code = jp.main(list(arguments))
        return code, out.getvalue(), errors.getvalue()

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            nets, out = Path(folder, "nets.py"), Path(folder, "net.json")
            nets.write_text(self.NETS)
            code, printed, errors = self.command(f"{nets}:make_net", "--gpu", "cpu", "--batch", "3", "--iterations", "2", "--device", "cpu", "--dtype", "bf16", "--file", str(out))
            self.assertEqual((code, printed), (0, ""), errors)
            profile = json.loads(out.read_text())["profiles"][0]
            self.assertEqual((profile["model"], profile["gpu"], profile["batch"], profile["precision"]), ("net", "cpu", 3, "bf16"))
            self.assertEqual([l["parameters"] for l in profile["layers"]], [40, 20])
            self.assertIn("bfloat16", profile["source"]["note"])
            code, _, errors = self.command(f"{nets}:bad", "--gpu", "cpu", "--batch", "3")
            self.assertEqual(code, 2)
            self.assertIn("must return a model, its inputs and a loss function", errors)
            code, printed, _ = self.command(f"{nets}:make_net", "--gpu", "cpu", "--batch", "3", "--iterations", "1", "--device", "cpu", "--checkpointing")
            self.assertNotIn('"input"', printed)
            for optimizer in jp.OPTIMIZERS:
                code, printed, errors = self.command(f"{nets}:make_net", "--gpu", "cpu", "--batch", "3", "--iterations", "1", "--device", "cpu",
                                                     "--dtype", "bf16", "--optimizer", optimizer)
                self.assertEqual(code, 0, errors)
                self.assertIn(f"includes a step of {optimizer}", printed)


if __name__ == "__main__":
    unittest.main()
