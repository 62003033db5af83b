"""Problem files solved a second time, in plain Python: dynamic programming over beliefs that shares nothing with the library.

A Model has outcomes by state, action and environment; problem_file.py reads one from a problem file. All else is computed
from the model:

  bayes_optimal   v*: dynamic programming over (steps to go, state, belief)
  told            E[v^e]: the environment is known
  drawn_plan      v^c: the plan of an environment that is drawn from the prior
  fixed_plan      the best plan by step and state that ignores what is seen: all of them are enumerated
  actions         what each action is worth at the start, the same with one plan made before it and with a plan made after it
"""
import itertools
import math

ARRIVE = "arrive"
ROUNDING = 1e-10


class Model:
    """outcomes[environment][(state, action)] = [(probability, reward, next state, what is seen)]; the action may be ARRIVE."""

    def __init__(self, actions, horizon, discount, prior, starts, outcomes):
        total = math.fsum(prior)
        self.actions, self.horizon, self.discount = actions, horizon, discount
        self.prior = [w / total for w in prior]
        total = math.fsum(starts.values())
        self.starts = {x: w / total for x, w in starts.items()}
        self.outcomes = outcomes
        self.memo = {}
        self.told_memo = {}
        self.expected_memo = {}

    def row(self, e, x, a):
        if a == ARRIVE:
            return self.outcomes[e].get((x, a), [(1.0, 0.0, x, None)])
        return self.outcomes[e].get((x, a))

    def allowed(self, x):
        return [a for a in self.actions if self.row(0, x, a) is not None]

    # ---- the Bayes-optimal value, with rewards and observations taken in

    def seen(self, x, a, weights):
        """What can be seen: {(reward, next, seen): weights after it, not normalised}."""
        all_seen = {}
        for e, w in enumerate(weights):
            if w > 0:
                for p, r, nxt, o in self.row(e, x, a):
                    if p > 0:
                        after = all_seen.setdefault((r, nxt, o), [0.0] * len(weights))
                        after[e] += w * p
        return all_seen

    def arriving(self, h, x, weights):
        """About to arrive at x: (value, delay) of what is to come, for weights that need not sum to 1."""
        value = delay = 0.0
        for (r, _, _), after in self.seen(x, ARRIVE, weights).items():
            v, d = self.acting(h, x, after)
            value += r * math.fsum(after) + v
            delay += d
        return value, delay

    def acting(self, h, x, weights):
        """Having arrived: (value, delay), the delay being that of the best action that earns earliest."""
        if h == 0:
            return 0.0, 0.0
        total = math.fsum(weights)
        key = (h, x, tuple(round(w / total, 12) for w in weights))
        if key not in self.memo:
            all_worth = self.action_worths(h, x, [w / total for w in weights])
            best = max(v for v, _ in all_worth.values())
            self.memo[key] = best, min(d for v, d in all_worth.values() if v >= best - self.slack(best))
        v, d = self.memo[key]
        return total * v, total * d

    @staticmethod
    def slack(value):
        return 1e-9 * (1 + abs(value))

    def action_worths(self, h, x, weights):
        """{action: (value, delay)} having arrived at x."""
        found = {}
        for a in self.allowed(x):
            value = delay = 0.0
            for (r, nxt, _), after in self.seen(x, a, weights).items():
                v, d = self.arriving(h - 1, nxt, after) if h > 1 else (0.0, 0.0)
                value += r * math.fsum(after) + self.discount * v
                delay += self.discount * (v + d)
            found[a] = value, delay
        return found

    def bayes_optimal(self):
        return math.fsum(p * self.arriving(self.horizon, x, self.prior)[0] for x, p in self.starts.items())

    # ---- known environments

    def expected(self, e, x, a):
        """(expected reward, arrival included; {next: probability}) in environment e."""
        key = e, x, a
        if key not in self.expected_memo:
            reward = math.fsum(p * r for p, r, _, _ in self.row(e, x, ARRIVE) + self.row(e, x, a))
            moves = {}
            for p, _, nxt, _ in self.row(e, x, a):
                if p > 0:
                    moves[nxt] = moves.get(nxt, 0.0) + p
            self.expected_memo[key] = reward, moves
        return self.expected_memo[key]

    def known(self, e, h, x):
        """(value, the lowest of the best actions) if the environment is e."""
        if h == 0:
            return 0.0, None
        key = e, h, x
        if key not in self.told_memo:
            values = [(self.look(e, h, x, a, lambda nxt: self.known(e, h - 1, nxt)[0]), a) for a in self.allowed(x)]
            best = max(v for v, _ in values)
            self.told_memo[key] = best, next(a for v, a in values if v >= best - self.slack(best))
        return self.told_memo[key]

    def look(self, e, h, x, a, then):
        reward, moves = self.expected(e, x, a)
        return reward + (self.discount * math.fsum(p * then(nxt) for nxt, p in moves.items()) if h > 1 else 0.0)

    def told(self):
        return math.fsum(p * w * self.known(e, self.horizon, x)[0]
                         for x, p in self.starts.items() for e, w in enumerate(self.prior) if w > 0)

    def drawn_plan(self):
        def follow(plan, e, h, x, memo):
            if h == 0:
                return 0.0
            if (h, x) not in memo:
                memo[h, x] = self.look(e, h, x, self.known(plan, h, x)[1], lambda nxt: follow(plan, e, h - 1, nxt, memo))
            return memo[h, x]

        total = 0.0
        for plan, w in enumerate(self.prior):
            for e, v in enumerate(self.prior):
                if w > 0 and v > 0:
                    memo = {}
                    total += w * v * math.fsum(p * follow(plan, e, self.horizon, x, memo) for x, p in self.starts.items())
        return total

    # ---- plans that ignore what is seen

    def moves_alike(self):
        for key, row in self.outcomes[0].items():
            if key[1] == ARRIVE:
                continue
            one = self.expected(0, *key)[1]
            for e in range(1, len(self.prior)):
                other = self.expected(e, *key)[1]
                if any(abs(one.get(n, 0) - other.get(n, 0)) > 1e-12 for n in set(one) | set(other)):
                    return False
        return True

    def fixed(self, h, masses, budget):
        """The best plan's value from {state: weights by environment} on, or None if there are too many plans."""
        if h == 0 or not masses:
            return 0.0
        if self.moves_alike():
            return math.fsum(self.mean_value(h, x, w) for x, w in masses.items())
        return self.enumerate_plans(h, masses, budget)

    def mean_value(self, h, x, weights):
        """Dynamic programming in the mean environment, for weights that need not sum to 1."""
        memo = {}
        first = next(e for e, w in enumerate(weights) if w > 0)

        def value(steps, at):
            if steps == 0:
                return 0.0
            if (steps, at) not in memo:
                best = -math.inf
                for a in self.allowed(at):
                    reward = math.fsum(w * self.expected(e, at, a)[0] for e, w in enumerate(weights) if w > 0)
                    moves = self.expected(first, at, a)[1]
                    best = max(best, reward + self.discount * math.fsum(p * value(steps - 1, n) for n, p in moves.items()))
                memo[steps, at] = best
            return memo[steps, at]

        return value(h, x)

    def enumerate_plans(self, h, masses, budget):
        """Every choice of an action for every state that can be met at this step, and so on to the end. budget = [left]."""
        states = sorted(masses, key=str)
        best = None
        for chosen in itertools.product(*(self.allowed(x) for x in states)):
            budget[0] -= 1
            if budget[0] < 0:
                return None
            reward, after = 0.0, {}
            for x, a in zip(states, chosen):
                for e, w in enumerate(masses[x]):
                    if w > 0:
                        r, moves = self.expected(e, x, a)
                        reward += w * r
                        for nxt, p in moves.items():
                            after.setdefault(nxt, [0.0] * len(self.prior))[e] += w * p
            rest = self.enumerate_plans(h - 1, after, budget) if h > 1 else 0.0
            if rest is None:
                return None
            value = reward + self.discount * rest
            best = value if best is None else max(best, value)
        return best

    def fixed_plan(self, budget=200000):
        left = [budget]
        values = [(p, self.fixed(self.horizon, {x: self.prior}, left)) for x, p in self.starts.items()]
        return None if any(v is None for _, v in values) else math.fsum(p * v for p, v in values)

    def actions_at(self, x, weights, h, budget=60000):
        """{action: (value, delay, known now, cashed)} at x, having arrived; the last two are None if plans are too many."""
        left = [budget]
        found = {}
        for a, (value, delay) in self.action_worths(h, x, weights).items():
            reward, together, apart = 0.0, {}, 0.0
            for (r, nxt, _), after in self.seen(x, a, weights).items():
                reward += r * math.fsum(after)
                for _, arrived in self.seen(nxt, ARRIVE, after).items():
                    one = self.fixed(h - 1, {nxt: arrived}, left)
                    apart = None if one is None or apart is None else apart + one
                there = together.setdefault(nxt, [0.0] * len(weights))
                for e, w in enumerate(after):
                    there[e] += w
            kept = self.fixed(h - 1, together, left)
            known = plans = None
            if kept is not None and apart is not None:
                known, plans = reward + self.discount * kept, self.discount * (apart - kept)
            found[a] = value, delay, known, plans
        return found
