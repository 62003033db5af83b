"""Problem files solved a second time, in plain Python: dynamic programming over beliefs that shares nothing with the library.

A problem file is read here by rules written down anew from docs/problem-files.md (tables and maps with finitely many
environments), and becomes a Model: outcomes by state, action and environment. All else is computed from the model:

  bayes_optimal   v*: dynamic programming over (steps to go, state, belief)
  told            E[v^e]: the environment is known
  drawn_plan      v^c: the plan of an environment that is drawn from the prior
  fixed_plan      the best plan by step and state that ignores what is seen: all of them are enumerated
  actions         what each action is worth at the start, the same with one plan made before it and with a plan made after it
"""
import itertools
import math
import tomllib

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


# ---- problem files


def as_list(value):
    return value if isinstance(value, list) else [value]


def read(text):
    """The model of a problem file, or None if it has what this reader does not know."""
    file = tomllib.loads(text)
    if "map" in file:
        return read_map(file)
    return read_table(file)


def signs(shows, accuracy, names, e):
    """[(probability, what is seen)] of a cue."""
    if shows is None:
        return [(1.0, None)]
    if isinstance(shows, str):
        if shows != "environment":
            return [(1.0, shows)]
        shows = {n: n for n in names}
    if all(isinstance(v, str) for v in shows.values()):
        right = shows[names[e]]
        wrong = sorted(set(shows.values()) - {right})
        if accuracy is None or not wrong:
            return [(1.0, right)]
        return [(accuracy, right)] + [((1 - accuracy) / len(wrong), w) for w in wrong]
    return [(p, s) for s, p in shows.items()]


def possibilities(entry, x, names, e):
    """[(probability, reward, next, seen)] of an [[outcome]]."""
    if "options" in entry:
        return [(o["probability"], float(o.get("reward", 0)), o.get("next", x), o.get("shows")) for o in entry["options"]]
    chance = entry.get("chance", 1)
    rewards = [(chance, float(entry.get("reward", 0)))] + ([(1 - chance, 0.0)] if chance < 1 else [])
    leads = entry.get("next", x)
    leads = list(leads.items()) if isinstance(leads, dict) else [(leads, 1.0)]
    return [(p * q * s, r, nxt, o) for p, r in rewards for nxt, q in leads
            for s, o in signs(entry.get("shows"), entry.get("accuracy"), names, e)]


def read_table(file):
    states, actions = list(file["states"]), list(file["actions"])
    environments = file.get("environment", [{"name": "0"}])
    names = [e["name"] for e in environments]
    prior = [e.get("weight", 1) for e in environments]
    starts = file["start"] if isinstance(file["start"], dict) else {file["start"]: 1.0}
    terminal = set(file.get("terminal", []))
    general, special = {}, {}  # what an outcome says for all environments, and for one
    once = set()
    for entry in file["outcome"]:
        for x in (states if entry["state"] == "*" else as_list(entry["state"])):
            if x in terminal and entry["state"] == "*":
                continue
            for a in (actions if entry["action"] == "*" else as_list(entry["action"])):
                if entry.get("once"):
                    once.add((x, a))
                if "environment" not in entry:
                    general[x, a] = entry
                    continue
                for n in as_list(entry["environment"]):
                    special[x, a, n] = entry
    outcomes = []
    for e, n in enumerate(names):
        rows = {}
        for x in states:
            for a in [ARRIVE] + actions:
                entry = special.get((x, a, n), general.get((x, a)))
                if x in terminal and a != ARRIVE:
                    rows[x, a] = [(1.0, 0.0, x, None)]
                elif entry is not None:
                    rows[x, a] = possibilities(entry, x, names, e)
        outcomes.append(rows)
    return repeated(file, actions, prior, *remembered(actions, starts, outcomes, once))


MOVES = {"stay": (0, 0), "up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def read_map(file):
    """Maps with four moves, letters that pay, show, end the episode or lead elsewhere; no further actions."""
    if "outcome" in file or "actions" in file or file.get("moves", "four") != "four" or file.get("collect") == "entering":
        return None
    lines = file["map"].strip("\n").split("\n")
    environments = file.get("environment")
    drawings = []
    if "hidden" in file:
        letter, among = file["hidden"]["letter"], file["hidden"]["among"]
        places = [(r, c) for r, line in enumerate(lines) for c, ch in enumerate(line) if ch == among]
        for r, c in places:
            drawings.append([line if i != r else line[:c] + letter + line[c + 1:] for i, line in enumerate(lines)])
        names = [str(p) for p in places]
        prior = [1] * len(names)
        environments = [{} for _ in names]
    else:
        names = [e["name"] for e in environments]
        prior = [e.get("weight", 1) for e in environments]
        drawings = [e["map"].strip("\n").split("\n") if "map" in e else lines for e in environments]
    general = file.get("legend", {})
    width = max(len(line) for line in lines)
    slip, stays, walls = file.get("slip", 0), file.get("stay", True), file.get("walls", "forbid")
    actions = [a for a in MOVES if stays or a != "stay"]

    def letter_of(e, at):
        r, c = at
        drawing = drawings[e]
        ch = drawing[r][c] if 0 <= r < len(drawing) and 0 <= c < min(width, len(drawing[r])) else "#"
        return ch

    def meaning(e, ch):
        return {**general.get(ch, {}), **environments[e].get("legend", {}).get(ch, {})}

    def is_wall(e, at):
        ch = letter_of(e, at)
        return ch in "# " or meaning(e, ch).get("wall", False)

    cells = [(r, c) for r in range(len(lines)) for c in range(width) if not is_wall(0, (r, c))]
    for e in range(len(names)):
        if any(is_wall(e, at) == (at in cells) for at in itertools.product(range(len(lines)), range(width))):
            return None
    starts = {}
    for at in cells:
        weight = meaning(0, letter_of(0, at)).get("start", False)
        if weight:
            starts[at] = float(weight)
    # Only what can be met: a terminal cell pays on arrival and leads to the end, where nothing happens.
    outcomes, once = [], set()
    for e in range(len(names)):
        rows = {("end", a): [(1.0, 0.0, "end", None)] for a in actions}
        for at in cells:
            m = meaning(e, letter_of(e, at))
            if isinstance(m.get("chance"), dict) or isinstance(m.get("reward"), dict):
                return None
            if m.get("once"):
                once.add((at, ARRIVE))
            chance = m.get("chance", 1)
            pays = [(chance, float(m.get("reward", 0)))] + ([(1 - chance, 0.0)] if chance < 1 else [])
            rows[at, ARRIVE] = [(p * q, r, at, s) for p, r in pays
                                for q, s in signs(m.get("shows"), m.get("accuracy"), names, e)]
            cost = float(file.get("step_reward", 0)) + float(m.get("step_reward", 0))

            def lands(a, at=at, e=e):
                to = (at[0] + MOVES[a][0], at[1] + MOVES[a][1])
                return at if is_wall(e, to) else to

            for a in actions:
                if m.get("terminal"):
                    rows[at, a] = [(1.0, 0.0, "end", None)]
                    continue
                if a != "stay" and lands(a) == at and walls == "forbid":
                    continue
                if "teleport" in m:
                    target = next(c for c in cells if letter_of(e, c) == m["teleport"])
                    rows[at, a] = [(1.0, cost, target, None)]
                    continue
                ways = [(1.0, a)]
                if slip and a != "stay":
                    sides = ["left", "right"] if a in ("up", "down") else ["up", "down"]
                    ways = [(1 - slip, a)] + [(slip / 2, s) for s in sides]
                rows[at, a] = [(p, cost, lands(w), None) for p, w in ways]
        outcomes.append(rows)
    return repeated(file, actions, prior, *remembered(actions, starts, outcomes, once))


def remembered(actions, starts, outcomes, once):
    """What may be done or collected once is part of the state: (state, what was used up)."""
    if not once:
        return starts, outcomes
    first = {(x, frozenset()): w for x, w in starts.items()}
    new = [{} for _ in outcomes]
    todo, met = list(first), set(first)
    while todo:
        x, used = here = todo.pop()
        for e, rows in enumerate(outcomes):
            if (x, ARRIVE) in rows and (x, ARRIVE) not in used:
                new[e][here, ARRIVE] = [(p, r, here, o) for p, r, _, o in rows[x, ARRIVE]]
            for a in actions:
                if (x, a) not in rows or (x, a) in used:
                    continue
                after = used | ({(x, a), (x, ARRIVE)} & once)
                new[e][here, a] = [(p, r, (nxt, after), o) for p, r, nxt, o in rows[x, a]]
                for p, _, nxt, _ in rows[x, a]:
                    if (nxt, after) not in met:
                        met.add((nxt, after))
                        todo.append((nxt, after))
    return first, new


def repeated(file, actions, prior, starts, outcomes):
    """With `episodes`, a state knows its step, and the last move of an episode leads to a start, wherever it would have led."""
    horizon, discount, episodes = file["horizon"], float(file.get("discount", 1)), file.get("episodes", 1)
    if episodes == 1:
        return Model(actions, horizon, discount, prior, starts, outcomes)
    total = math.fsum(starts.values())
    timed = []
    for rows in outcomes:
        new = {}
        for (x, a), row in rows.items():
            for step in range(horizon):
                if a == ARRIVE:
                    new[(x, step), a] = [(p, r, (x, step), o) for p, r, _, o in row]
                elif step + 1 < horizon:
                    new[(x, step), a] = [(p, r, (nxt, step + 1), o) for p, r, nxt, o in row]
                else:
                    new[(x, step), a] = [(p * w / total, r, (s, 0), o) for p, r, _, o in row for s, w in starts.items()]
        timed.append(new)
    return Model(actions, horizon * episodes, discount, prior, {(x, 0): w for x, w in starts.items()}, timed)
