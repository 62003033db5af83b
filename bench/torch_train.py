#!/usr/bin/python3
"""pcr(preset=paper) on the treasure map in PyTorch on the CPU: what the C++ learner is measured against.

An epoch is 10 episodes in lockstep and one step of Adam. At every time step the 10 beliefs are valued
together, by draws of 80 environments each; the network says which share of the bound B the future is worth.

Two styles, which differ in how beliefs are valued:

  idiomatic  as a good user would write it from the paper: torch.distributions.Beta, plans and worlds drawn
             apart, one image per environment, max_pool2d with indices and gather
  tuned      the fastest of what was tried (with Debian's 1.13): environments last, where operations are
             vectorised over them; the best of each column, then of each row, by comparisons in place, which
             beats max_pool2d and gather in the same layout; Betas made of torch._standard_gamma, an internal
             function; the next environment as the world of each plan, as assay has it, which halves the
             draws; malloc told to keep freed memory, without which large batches pay for page faults

  torch_train.py --style tuned --threads 1 --epochs 60
"""

import argparse
import ctypes
import json
import time

import torch
from torch import nn
from torch.nn.functional import max_pool2d, one_hot

PRIOR_A, PRIOR_B, DISCOUNT, HORIZON, LOOKS = 0.1, 1.0, 0.96, 25, 5
EPISODES, DRAWS, BOUND_DRAWS, EPSILON, RATE = 10, 80, 40, 0.1, 0.01


class Idiomatic:
    def values(self, a, b):
        """v^c and B, [beliefs, size, size] as the parameters."""
        belief = torch.distributions.Beta(a, b)
        plan_reward, world_reward = (belief.sample((DRAWS,)).flatten(0, 1).unsqueeze(1) for _ in range(2))
        plan_value, world_value = plan_reward, world_reward  # the first sweep, from 0
        for _ in range(HORIZON - 1):
            best, where = max_pool2d(plan_value, 3, stride=1, padding=1, return_indices=True)
            followed = world_value.flatten(1).gather(1, where.flatten(1)).view_as(world_value)
            plan_value = plan_reward + DISCOUNT * best
            world_value = world_reward + DISCOUNT * followed
        full, current = (v.view(DRAWS, *a.shape) for v in (plan_value, world_value))
        bound = full[:BOUND_DRAWS].mean(0) - current[:BOUND_DRAWS].mean(0)
        return current.mean(0), bound.clamp_(min=0)


class Tuned:
    def __init__(self):
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        for threshold in (-1, -3) if mallopt else ():
            mallopt(threshold, 1 << 30)

    def values(self, a, b):
        beliefs, rows, columns = a.shape
        shape = (rows, columns, beliefs, DRAWS)
        a, b = (p.permute(1, 2, 0).unsqueeze(-1).expand(shape) for p in (a, b))
        x = torch._standard_gamma(a)
        plan_reward = x.div_(x + torch._standard_gamma(b))
        world_reward = plan_reward.roll(-1, -1)
        edged = (rows + 2, columns + 2, beliefs, DRAWS)
        plan, world = torch.full(edged, -1.0), torch.zeros(edged)  # beyond the edge: worse than any reward
        plan_value, world_value = plan[1:-1, 1:-1], world[1:-1, 1:-1]
        plan_value.copy_(plan_reward)  # the first sweep, from 0
        world_value.copy_(world_reward)
        # The best of three, of each column and then of each row, by two comparisons. All their views are made
        # here: made in each sweep they would cost as much as the arithmetic saves.
        p, w, *spare = torch.empty(4, rows, *edged[1:])
        best_plan, best_world, *spare_narrow = torch.empty(4, *shape)
        comparisons = (
            (plan[:-2], world[:-2], plan[1:-1], world[1:-1], p, w, *spare),
            (p, w, plan[2:], world[2:], p, w, *spare),
            (p[:, :-2], w[:, :-2], p[:, 1:-1], w[:, 1:-1], best_plan, best_world, *spare_narrow),
            (best_plan, best_world, p[:, 2:], w[:, 2:], best_plan, best_world, *spare_narrow),
        )
        for _ in range(HORIZON - 1):
            for p1, w1, p2, w2, p_out, w_out, better, change in comparisons:
                # w_out = torch.where(p2 > p1, w2, w1), which takes many times as long
                torch.gt(p2, p1, out=better)
                torch.sub(w2, w1, out=change)
                torch.addcmul(w1, better, change, out=w_out)
                torch.maximum(p1, p2, out=p_out)
            torch.add(plan_reward, best_plan, alpha=DISCOUNT, out=plan_value)
            torch.add(world_reward, best_world, alpha=DISCOUNT, out=world_value)
        bound = plan_value[..., :BOUND_DRAWS].mean(-1) - world_value[..., :BOUND_DRAWS].mean(-1)
        return [v.permute(2, 0, 1) for v in (world_value.mean(-1), bound.clamp_(min=0))]


STYLES = {"idiomatic": Idiomatic, "tuned": Tuned}


class PatchNetwork(nn.Module):
    """The share of the bound, for every cell: the network of the paper's appendix C."""

    def __init__(self, size):
        super().__init__()
        self.hidden = nn.Conv2d(2, 20, 3, padding=1)
        self.output = nn.Conv2d(20, 1, 1)
        self.table = nn.Parameter(torch.zeros(size, size))

    def forward(self, a, b):
        seen = torch.relu(self.hidden(torch.stack((a, b), 1)))
        return torch.sigmoid(0.01 * self.output(seen).squeeze(1) + self.table)


class Map:
    """Treasure maps in lockstep: hidden probabilities, beliefs and places, [episodes, cells]."""

    def __init__(self, size):
        self.size, cells = size, size * size
        shape = (EPISODES, cells)
        self.a, self.b = torch.full(shape, PRIOR_A), torch.full(shape, PRIOR_B)
        self.chance = torch.distributions.Beta(self.a, self.b).sample()
        self.place = torch.randint(cells, (EPISODES,))
        self.middle = size // 2 * size + size // 2

    def images(self):
        return (p.view(-1, self.size, self.size) for p in (self.a, self.b))

    def collect(self):
        """Rewards [episodes]; what is seen goes into the beliefs."""
        here = one_hot(self.place, self.size * self.size).float()
        looks = LOOKS * torch.where((self.place == self.middle).unsqueeze(1), torch.ones(()), here)
        successes = torch.binomial(looks, self.chance)
        paid = here * torch.bernoulli(self.chance)
        self.a = self.a + successes + paid
        self.b = self.b + (looks - successes) + (here - paid)
        return paid.sum(1)


class Training:
    def __init__(self, size, style):
        self.size, self.style = size, style
        self.network = PatchNetwork(size)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=RATE)
        row, column = torch.arange(size).repeat_interleave(size), torch.arange(size).repeat(size)
        self.near = ((row[:, None] - row).abs() <= 1) & ((column[:, None] - column).abs() <= 1)

    def move(self, place, value):
        """A king's move, or none: to the best cell, or to any."""
        near = self.near[place]
        best = value.masked_fill(~near, -torch.inf).argmax(1)
        any_of_them = torch.multinomial(near.float(), 1).squeeze(1)
        return torch.where(torch.rand(len(place)) < EPSILON, any_of_them, best)

    def epoch(self):
        """Returns the mean return of the episodes."""
        world, loss, collected, before = Map(self.size), 0, 0, None
        for _ in range(HORIZON):
            a, b = world.images()
            with torch.no_grad():
                current, bound = (v.flatten(1) for v in self.style.values(a, b))
            future = bound * self.network(a, b).flatten(1)
            if before:  # else at the start, which is not chosen
                was, current_was, future_was = before
                world.place = self.move(was, current + future.detach())
            at = world.place.unsqueeze(1)
            current_at, future_at = current.gather(1, at), future.gather(1, at)
            if before:
                cashed = current.gather(1, was.unsqueeze(1)) - current_was
                loss = loss + (cashed + DISCOUNT * future_at.detach() - future_was).square().sum()
            before = world.place, current_at, future_at
            collected = collected + world.collect()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return collected.mean().item()


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=7)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--warm-up", type=int, default=2, help="epochs before them that are not timed")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--style", choices=STYLES, default="idiomatic")
    return parser.parse_args()


def main():
    arguments = parse()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    training = Training(arguments.size, STYLES[arguments.style]())
    for _ in range(arguments.warm_up):
        training.epoch()
    best, returns = float("inf"), 0
    for _ in range(arguments.epochs):
        begin = time.perf_counter()
        returns += training.epoch()
        best = min(best, time.perf_counter() - begin)
    print(json.dumps({
        "torch": torch.__version__,
        "style": arguments.style,
        "threads": torch.get_num_threads(),
        "seconds_per_epoch": best,
        "mean_return": returns / arguments.epochs,
    }))


if __name__ == "__main__":
    main()
