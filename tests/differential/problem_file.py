"""Problem files read a second time, by rules written down anew from docs/problem-files.md: tables and maps with finitely many
environments. They become a Model of belief_dp.
"""
import itertools
import math
import tomllib

from belief_dp import ARRIVE, Model


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
