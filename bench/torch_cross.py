#!/usr/bin/python3
"""Beta draws and cross-values in PyTorch on the CPU: what the C++ kernels are measured against.

Written to be favourable to PyTorch (each choice measured with Debian's 1.13):

  * Environments are the channels of a single channels_last image, [1, beliefs * K, size, size]. Then
    max_pool2d is vectorised over environments; with one image per environment, the obvious layout, the
    cross-values take four to six times as long. The draws are made in that order, so nothing is copied.
  * Beliefs go through 25 at a time (--batch): one at a time takes twice as long, 250 a quarter longer.
  * malloc keeps freed memory. Otherwise glibc gives it back and every sweep pays for page faults, up to half
    of the time of large batches.
  * A Beta draw is made of two torch._standard_gamma; torch.distributions.Beta, which goes through the
    Dirichlet, takes a third longer (--sampler beta). Neither uses more than one thread.

`mul_` and `add_` instead of one `add(alpha=...)` cost next to nothing and round as plain C++ does, so that
the two agree to the last bit, ties included.

  torch_cross.py --counts counts.json --threads 1
"""

import argparse
import ctypes
import json
import time

import torch
from torch.nn.functional import max_pool2d

PRIOR_A, PRIOR_B, DISCOUNT = 0.1, 1.0, 0.96


def gamma_field(a, b, draws):
    """[1, size, size, beliefs, draws] of Beta(a, b); a and b are [1, size, size, beliefs]."""
    shape = (*a.shape, draws)
    x = torch._standard_gamma(a.unsqueeze(-1).expand(shape))
    return x.div_(x + torch._standard_gamma(b.unsqueeze(-1).expand(shape)))


def beta_field(a, b, draws):
    shape = (*a.shape, draws)
    a, b = a.unsqueeze(-1).expand(shape), b.unsqueeze(-1).expand(shape)
    return torch.distributions.Beta(a, b, validate_args=False).sample().contiguous()


SAMPLERS = {"gamma": gamma_field, "beta": beta_field}


def as_channels(field):
    """[1, size, size, beliefs, draws] as a channels_last [1, beliefs * draws, size, size], not copied."""
    return field.flatten(3).permute(0, 3, 1, 2)


def cross_values(plan_reward, world_reward, sweeps, discount=DISCOUNT):
    """Values of the plans in their own environments and in the worlds; all [1, environments, size, size]."""
    _, environments, rows, columns = plan_reward.shape
    # The first sweep, from v_0 = u_0 = 0.
    plan_value, world_value = plan_reward, world_reward
    for _ in range(sweeps - 1):
        plan_value, best = max_pool2d(plan_value, 3, stride=1, padding=1, return_indices=True)
        plan_value.mul_(discount).add_(plan_reward)
        cells = world_value.permute(0, 2, 3, 1).view(rows * columns, environments)
        followed = cells.gather(0, best.permute(0, 2, 3, 1).view(rows * columns, environments))
        followed = followed.view(1, rows, columns, environments).permute(0, 3, 1, 2)
        world_value = followed.mul_(discount).add_(world_reward)
    return plan_value, world_value


class Work:
    def __init__(self, arguments):
        self.arguments = arguments
        self.sample = SAMPLERS[arguments.sampler]
        size, beliefs = arguments.size, arguments.beliefs
        a, b = load(arguments.counts, size * size, beliefs)
        a, b = (p.t().reshape(1, size, size, beliefs) for p in (a, b))
        self.batches = list(zip(a.split(arguments.batch, -1), b.split(arguments.batch, -1)))

    def draw(self, batch):
        """The rewards of plan and world environments."""
        return [as_channels(self.sample(*batch, self.arguments.draws)) for _ in range(2)]

    def cross(self, rewards):
        """v^c and full information: means over draws, each [beliefs, size, size]."""
        size, draws = self.arguments.size, self.arguments.draws
        plan_value, world_value = cross_values(*rewards, self.arguments.sweeps)
        return [v[0].view(-1, draws, size, size).mean(1) for v in (world_value, plan_value)]

    def draw_all(self):
        return [self.draw(batch) for batch in self.batches]

    def cross_all(self, rewards):
        return [self.cross(r) for r in rewards]

    def both_all(self):
        return [self.cross(self.draw(batch)) for batch in self.batches]


def load(path, cells, beliefs):
    """Parameters [beliefs, cells] of the first beliefs in the file."""
    with open(path) as file:
        counts = json.load(file)
    successes, failures = (torch.tensor(counts[k][:beliefs]).float() for k in ("successes", "failures"))
    if successes.shape != (beliefs, cells) or failures.shape != (beliefs, cells):
        raise SystemExit(
            f"{path}: {beliefs} beliefs of {cells} cells are wanted; there are {tuple(successes.shape)} "
            f"successes and {tuple(failures.shape)} failures"
        )
    return PRIOR_A + successes, PRIOR_B + failures


def keep_memory():
    """As MALLOC_TRIM_THRESHOLD_ and MALLOC_MMAP_THRESHOLD_ would, for glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        for threshold in (-1, -3):
            mallopt(threshold, 1 << 30)


def best_seconds(repetitions, work):
    """Seconds of the fastest call, after one to warm up, and what the last one returned."""
    work()
    best = float("inf")
    for _ in range(repetitions):
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
    return best, result


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=7)
    parser.add_argument("--draws", type=int, default=80, help="K, plan environments a belief; as many worlds")
    parser.add_argument("--sweeps", type=int, default=25)
    parser.add_argument("--beliefs", type=int, default=10, help="the first of the file")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--counts", required=True, metavar="FILE", help="JSON: successes, failures")
    parser.add_argument("--batch", type=int, default=25, help="beliefs at a time")
    parser.add_argument("--sampler", choices=SAMPLERS, default="gamma")
    return parser.parse_args()


@torch.inference_mode()
def main():
    arguments = parse()
    keep_memory()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    work = Work(arguments)
    beta_seconds, rewards = best_seconds(arguments.repetitions, work.draw_all)
    cross_seconds, _ = best_seconds(arguments.repetitions, lambda: work.cross_all(rewards))
    both_seconds, values = best_seconds(arguments.repetitions, work.both_all)
    current, full = (torch.cat(v).double().mean().item() for v in zip(*values))
    field = arguments.beliefs * arguments.draws * arguments.size**2
    result = {
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "beta_seconds": beta_seconds,
        "cross_seconds": cross_seconds,
        "both_seconds": both_seconds,
        "draws": 2 * field,
        "cells_environments_sweeps": field * arguments.sweeps,
        "mean_current": current,
        "mean_full": full,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
