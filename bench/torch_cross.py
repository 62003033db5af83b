#!/usr/bin/python3
"""Beta draws and cross-values in PyTorch on the CPU: what the C++ kernels are measured against.

Two styles:

  idiomatic  as a good user would write it: torch.distributions.Beta, one image per environment, max_pool2d with
             indices and gather
  tuned      what is left when every choice is measured (with Debian's 1.13): environments as the channels of one
             channels_last image, so that max_pool2d is vectorised over them; Betas made of torch._standard_gamma, an
             internal function; malloc told to keep freed memory, without which large batches pay for page faults

Both take beliefs 25 at a time (--batch), the fastest: one at a time takes twice as long, 250 a quarter longer.

  torch_cross.py --counts counts.json --style tuned --threads 1
"""

import argparse
import ctypes
import json
import time

import torch
from torch.nn.functional import max_pool2d

PRIOR_A, PRIOR_B, DISCOUNT = 0.1, 1.0, 0.96


class Idiomatic:
    def __init__(self, arguments):
        self.draws, self.sweeps = arguments.draws, arguments.sweeps

    def draw(self, a, b):
        """Rewards [draws * beliefs, 1, size, size] from parameters [beliefs, size, size]."""
        return torch.distributions.Beta(a, b).sample((self.draws,)).flatten(0, 1).unsqueeze(1)

    def cross(self, plan_reward, world_reward):
        """v^c and full information: means over draws, each [beliefs, size, size]."""
        plan_value, world_value = plan_reward, world_reward  # the first sweep, from 0
        for _ in range(self.sweeps - 1):
            best, where = max_pool2d(plan_value, 3, stride=1, padding=1, return_indices=True)
            followed = world_value.flatten(1).gather(1, where.flatten(1)).view_as(world_value)
            plan_value = plan_reward + DISCOUNT * best
            world_value = world_reward + DISCOUNT * followed
        return [v.unflatten(0, (self.draws, -1)).mean(0).squeeze(1) for v in (world_value, plan_value)]


class Tuned:
    def __init__(self, arguments):
        self.draws, self.sweeps = arguments.draws, arguments.sweeps
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        for threshold in (-1, -3) if mallopt else ():
            mallopt(threshold, 1 << 30)

    def draw(self, a, b):
        """Rewards [1, beliefs * draws, size, size], channels_last."""
        shape = (*a.shape[1:], a.shape[0], self.draws)
        a, b = (p.permute(1, 2, 0).unsqueeze(-1).expand(shape) for p in (a, b))
        x = torch._standard_gamma(a)
        field = x.div_(x + torch._standard_gamma(b))
        return field.flatten(2).unsqueeze(0).permute(0, 3, 1, 2)

    def cross(self, plan_reward, world_reward):
        _, environments, rows, columns = plan_reward.shape
        plan_value, world_value = plan_reward, world_reward
        for _ in range(self.sweeps - 1):
            plan_value, best = max_pool2d(plan_value, 3, stride=1, padding=1, return_indices=True)
            plan_value.mul_(DISCOUNT).add_(plan_reward)
            cells = world_value.permute(0, 2, 3, 1).reshape(rows * columns, environments)
            followed = cells.gather(0, best.permute(0, 2, 3, 1).reshape(rows * columns, environments))
            followed = followed.view(1, rows, columns, environments).permute(0, 3, 1, 2)
            world_value = followed.mul_(DISCOUNT).add_(world_reward)
        return [v[0].unflatten(0, (-1, self.draws)).mean(1) for v in (world_value, plan_value)]


STYLES = {"idiomatic": Idiomatic, "tuned": Tuned}


def load(path, size, beliefs):
    """Parameters [beliefs, size, size] of the first beliefs in the file."""
    with open(path) as file:
        counts = json.load(file)
    successes, failures = (torch.tensor(counts[k][:beliefs]).float() for k in ("successes", "failures"))
    if successes.shape != (beliefs, size * size) or failures.shape != successes.shape:
        raise SystemExit(f"{path}: {beliefs} beliefs of {size * size} cells are wanted, not {tuple(successes.shape)}")
    return [p.view(beliefs, size, size) for p in (PRIOR_A + successes, PRIOR_B + failures)]


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
    parser.add_argument("--style", choices=STYLES, default="idiomatic")
    return parser.parse_args()


@torch.inference_mode()
def main():
    arguments = parse()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    style = STYLES[arguments.style](arguments)
    parameters = [p.split(arguments.batch) for p in load(arguments.counts, arguments.size, arguments.beliefs)]
    batches = list(zip(*parameters))

    def draw_all():
        return [(style.draw(a, b), style.draw(a, b)) for a, b in batches]

    def both_all():
        return [style.cross(style.draw(a, b), style.draw(a, b)) for a, b in batches]

    beta_seconds, rewards = best_seconds(arguments.repetitions, draw_all)
    cross_seconds, _ = best_seconds(arguments.repetitions, lambda: [style.cross(*r) for r in rewards])
    both_seconds, values = best_seconds(arguments.repetitions, both_all)
    current, full = (torch.cat(v).double().mean().item() for v in zip(*values))
    print(json.dumps({
        "torch": torch.__version__,
        "style": arguments.style,
        "threads": torch.get_num_threads(),
        "beta_seconds": beta_seconds,
        "cross_seconds": cross_seconds,
        "both_seconds": both_seconds,
        "mean_current": current,
        "mean_full": full,
    }))


if __name__ == "__main__":
    main()
