#!/usr/bin/env python3
"""Do the tool and a dynamic programme of our own agree? On random problem files, on the shipped examples, and on the numbers that
the golden files and the README show. usage: run.py TOOL [PROBLEMS [SEED]]"""
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import problem_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 2e-7  # of 1 + the size of a value: where a search may stop


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    return "[" + ", ".join(toml(v) for v in value) + "]"


def written(file):
    return "".join(f"{key} = {toml(value)}\n" for key, value in file.items())


class Drawn:
    """One random problem file."""

    def __init__(self, rng):
        self.rng = rng

    def shares(self, names):
        """Probabilities that sum to 1 in binary too, sometimes 0 or 1."""
        cuts = sorted(self.rng.randint(0, 16) / 16 for _ in names[1:])
        return {n: b - a for n, a, b in zip(names, [0.0] + cuts, cuts + [1.0])}

    def reward(self):
        return self.rng.randint(-4, 4) / 2

    def outcome(self, states, certain):
        rng = self.rng
        entry = {}
        if rng.random() < 0.25:
            entry["options"] = [{"probability": p, "reward": self.reward(), "next": rng.choice(states),
                                 **({"shows": rng.choice("pq")} if rng.random() < 0.5 else {})}
                                for p in self.shares(["a", "b", "c"][:rng.randint(1, 3)]).values()]
            return entry
        if rng.random() < 0.7:
            entry["reward"] = self.reward()
            if rng.random() < 0.3:
                entry["chance"] = rng.randint(1, 15) / 16
        entry["next"] = rng.choice(states) if certain or rng.random() < 0.5 else self.shares(states)
        if rng.random() < 0.4:
            entry["shows"] = self.shares(["p", "q"])
        return entry

    def table(self):
        rng = self.rng
        states = [f"s{i}" for i in range(rng.randint(1, 4))]
        actions = [f"a{i}" for i in range(rng.randint(1, 3))]
        names = [f"e{i}" for i in range(rng.randint(1, 3))]
        file = {"horizon": rng.randint(1, 4), "states": states, "actions": actions}
        if rng.random() < 0.6:
            file["discount"] = rng.choice([0.5, 0.9, 0.95])
        file["start"] = rng.choice(states) if rng.random() < 0.7 else {s: rng.randint(1, 4) for s in states}
        terminal = states[-1:] if len(states) > 2 and rng.random() < 0.4 else []
        if terminal:
            file["terminal"] = terminal
        if rng.random() < 0.25 and file["horizon"] < 3:
            file["episodes"] = 2
        file["environment"] = [{"name": n, "weight": rng.randint(1, 5)} for n in names]
        known = rng.random() < 0.5  # do all environments move alike?
        outcomes = []
        for x in states:
            if x in terminal:
                continue
            if rng.random() < 0.4:
                for n in names if rng.random() < 0.7 else [None]:
                    arrival = {"state": x, "action": "arrive", "reward": self.reward()}
                    if rng.random() < 0.5:
                        arrival["shows"] = self.shares(["u", "v"])
                    outcomes.append(arrival | ({"environment": n} if n else {}))
            for i, a in enumerate(actions):
                if i > 0 and rng.random() < 0.1:
                    continue
                apart = rng.random() < 0.7
                base = self.outcome(states, rng.random() < 0.3)
                for n in names if apart else [None]:
                    entry = {"state": x, "action": a, **base}
                    if apart and known and "options" not in entry:
                        entry |= {"reward": self.reward(), "shows": self.shares(["p", "q"])}
                    elif apart:
                        entry = {"state": x, "action": a, **self.outcome(states, rng.random() < 0.3)}
                    outcomes.append(entry | ({"environment": n} if n else {}))
                if not apart and i > 0 and rng.random() < 0.2:
                    outcomes[-1]["once"] = True
        file["outcome"] = outcomes
        return file

    def map(self):
        rng = self.rng
        rows, columns = rng.randint(1, 2), rng.randint(2, 3)
        cells = [rng.choice(".AB.C") for _ in range(rows * columns)]
        cells[rng.randrange(len(cells))] = "S"
        file = {"horizon": rng.randint(2, 4), "map": "\n".join("".join(cells[r * columns:(r + 1) * columns]) for r in range(rows))}
        if rng.random() < 0.5:
            file["discount"] = rng.choice([0.5, 0.9])
        if rng.random() < 0.3:
            file["slip"] = 0.25
        if rng.random() < 0.3:
            file["walls"] = "stay"
        if rng.random() < 0.3:
            file["step_reward"] = -0.5
        names = ["left", "right", "none"][:rng.randint(2, 3)]
        file["legend"] = {"S": {"start": True}}
        if "A" in cells:
            file["legend"]["A"] = {"reward": self.reward(), "chance": rng.randint(1, 16) / 16, "once": rng.random() < 0.4}
        if "B" in cells:
            file["legend"]["B"] = {"reward": self.reward(), "terminal": rng.random() < 0.5}
        if "C" in cells:
            file["legend"]["C"] = {"shows": "environment", "accuracy": rng.choice([0.75, 0.875, 1.0])}
        letters = sorted({"A", "B"} & set(cells))
        file["environment"] = [{"name": n, "weight": rng.randint(1, 3),
                                "legend": {k: {"reward": self.reward()} for k in letters if rng.random() < 0.7}} for n in names]
        return file


class Check:
    def __init__(self, tool, name):
        self.tool, self.name, self.complaints, self.compared = tool, name, [], 0

    def same(self, what, got, due, tolerance=TOLERANCE):
        self.compared += 1
        if not abs(got - due) <= tolerance * (1 + abs(due)):
            self.complaints.append(f"{self.name}: {what} is {got!r}, should be {due!r}")

    def at_most(self, what, low, high):
        self.compared += 1
        if not low <= high + TOLERANCE * (1 + abs(high)):
            self.complaints.append(f"{self.name}: {what}: {low!r} is above {high!r}")

    def call(self, *arguments):
        done = subprocess.run([self.tool, *arguments, "--json", "--threads", "1"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            self.complaints.append(f"{self.name}: {' '.join(arguments)} ends with {done.returncode}: {done.stderr.strip()}")
            return None
        return json.loads(done.stdout)

    def problem(self, path, model, plans=200000):
        """All numbers of solve, of the search for bounds and of explain at the start."""
        best, told, drawn = model.bayes_optimal(), model.told(), model.drawn_plan()
        for method in "auto", "search":
            found = self.call("solve", str(path), "--method", method)
            if found is None:
                return
            self.same(f"lower bound by {method}", found["lower"]["value"], best)
            self.same(f"upper bound by {method}", found["upper"]["value"], best)
            self.at_most(f"bounds by {method} cross", found["lower"]["value"], found["upper"]["value"])
            self.same("E[v^e]", found["full_information"], told, 1e-9)
            self.same("v^c", found["current_information"], drawn, 1e-9)
        fixed = model.fixed_plan(plans)
        if fixed is not None:
            self.same("the best plan that ignores what is seen", found["fixed_plan"], fixed, 1e-9)
            self.same("its upper bound", found["fixed_plan_upper"], fixed, 1e-9)
        self.at_most("the best plan that ignores what is seen", found["fixed_plan"], best)
        if len(model.starts) == 1:
            found = self.call("explain", str(path))
            if found is not None:
                self.explained(found, model, next(iter(model.starts)), model.prior, model.horizon)

    def explained(self, found, model, state, weights, remaining):
        due = model.actions_at(state, weights, remaining)
        got = {a["name"]: a for a in found["actions"]}
        if set(got) != set(due):
            self.complaints.append(f"{self.name}: actions {sorted(got)}, should be {sorted(due)}")
            return
        for name, (value, _, known, cashed) in due.items():
            low, high = got[name]["value"]
            self.compared += 1
            if low > high:
                self.complaints.append(f"{self.name}: the bounds of {name} cross by {low - high}")
            self.same(f"{name}, lower", low, value, 2e-6)
            self.same(f"{name}, upper", high, value, 2e-6)
            if known is not None:
                self.same(f"{name}, known now", got[name]["current_information"], known)
                self.same(f"{name}, cashed", got[name]["cashed_reward"], cashed)
            self.same(f"{name}, all that is to be found out", got[name]["future_information"],
                      low - got[name]["current_information"])
        best = max(value for value, _, _, _ in due.values())
        earliest = min(delay for value, delay, _, _ in due.values() if value >= best - 1e-9 * (1 + abs(best)))
        value, delay, _, _ = due[found["actions"][0]["name"]]
        self.same("the first action", value, best)
        self.same(f"how late the first action, {found['actions'][0]['name']}, earns", delay, earliest)


def drawn_problem(tool, seed, number, folder):
    rng = random.Random(seed * 1000003 + number)
    drawn = Drawn(rng)
    file = drawn.table() if rng.random() < 0.65 else drawn.map()
    text = written(file)
    path = pathlib.Path(folder) / f"drawn{number}.toml"
    path.write_text(text)
    check = Check(tool, f"problem {number} of seed {seed}")
    check.problem(path, problem_file.read(text))
    if check.complaints:
        check.complaints.append(text)
    return check


def endless_problem(tool, seed, number, folder):
    """The same problems without an end. The dynamic programme looks so far ahead that what follows is small."""
    steps, discount = 6, 0.1
    rng = random.Random(seed * 1000003 + number)
    drawn = Drawn(rng)
    file = drawn.table() if rng.random() < 0.65 else drawn.map()
    file.pop("episodes", None)
    file["discount"] = discount
    model = problem_file.read(written(file | {"horizon": steps}))
    file["horizon"] = "endless"
    path = pathlib.Path(folder) / f"endless{number}.toml"
    path.write_text(written(file))
    check = Check(tool, f"endless problem {number} of seed {seed}")
    largest = max(abs(r) for rows in model.outcomes for row in rows.values() for _, r, _, _ in row)
    rest = discount**steps * 2 * largest / (1 - discount) + 1e-9
    best = model.bayes_optimal()
    for method in "auto", "search", "exact":
        found = check.call("solve", str(path), "--method", method)
        if found is None:
            break
        check.at_most(f"lower bound by {method}", found["lower"]["value"], best + rest)
        check.at_most(f"upper bound by {method}", best - rest, found["upper"]["value"])
        check.at_most(f"bounds by {method} cross", found["lower"]["value"], found["upper"]["value"])
        if method != "exact":
            check.same(f"lower bound by {method}", found["lower"]["value"], best, rest)
            check.same(f"upper bound by {method}", found["upper"]["value"], best, rest)
        check.same("E[v^e]", found["full_information"], model.told(), rest)
        check.same("v^c", found["current_information"], model.drawn_plan(), 4 * rest)
    if len(model.starts) == 1:
        found = check.call("explain", str(path))
        state = next(iter(model.starts))
        for name, (value, _, _, _) in model.actions_at(state, model.prior, model.horizon).items() if found else []:
            low, high = next(a["value"] for a in found["actions"] if a["name"] == name)
            check.at_most(f"{name}, lower", low, value + rest)
            check.at_most(f"{name}, upper", value - rest, high)
    if check.complaints:
        check.complaints.append(written(file))
    return check


def example(tool, name):
    path = ROOT / "examples/problems" / f"{name}.toml"
    check = Check(tool, name)
    check.problem(path, problem_file.read(path.read_text()), 20000)
    return check


def shown_numbers(text, label):
    return [float(n) for n in re.findall(rf"^\s+{re.escape(label)}\s+(-?[0-9.]+)", text, re.MULTILINE)]


def shown(tool):
    """The numbers that golden files and README show."""
    tiger = problem_file.read((ROOT / "examples/problems/tiger.toml").read_text())
    patient = problem_file.read((ROOT / "examples/problems/medical_test.toml").read_text())
    readme = (ROOT / "README.md").read_text() + (ROOT / "docs/tutorial/your-own-problem.md").read_text()
    blocks = re.findall(r"```\n\$ build/release/assay (\w+) examples/problems/medical_test.toml\n```\n```\n(.*?)```", readme, re.DOTALL)
    check = Check(tool, "what is shown")
    printed = [("golden/solve-tiger.txt", (ROOT / "tests/golden/solve-tiger.txt").read_text(), tiger)]
    printed += [("README", text, patient) for command, text in blocks if command == "solve"]
    for where, text, model in printed:
        best, fixed = model.bayes_optimal(), model.fixed_plan()
        for label, due in [("value", best), ("full information", model.told()), ("stop learning now", fixed),
                           ("finding out adds", best - fixed), ("v^c", model.drawn_plan())]:
            numbers = shown_numbers(text, label)
            if len(numbers) != 1:
                check.complaints.append(f"{where}: no number behind '{label}'")
            else:
                check.same(f"{where}: {label}", numbers[0], due, 1e-6)
    explained = [text for command, text in blocks if command == "explain"]
    if len(blocks) != 2 or len(explained) != 1:
        check.complaints.append("documents: no solve and explain of medical_test.toml")
    for text in explained:
        for name, (value, _, known, cashed) in patient.actions_at("waiting", patient.prior, patient.horizon).items():
            row = re.search(rf"^\s+{name}((?:\s+-?[0-9.]+)+)", text, re.MULTILINE)
            for number, due in zip(row[1].split(), [value, known, cashed, value - known - cashed]):
                check.same(f"README: {name}", float(number), due, 1e-4)
    after = tiger.seen("corridor", "listen", tiger.prior)[-1.0, "corridor", "growl left"]
    after = [w / math.fsum(after) for w in after]
    found = json.loads((ROOT / "tests/golden/explain-tiger.json").read_text())
    check.explained(found, tiger, "corridor", after, 7)
    return check


def main():
    tool = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    examples = ["tiger", "medical_test", "machine_part", "fishery", "t_maze", "t_maze_noisy", "no_use", "bus_map"]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(2) as pool:
        waiting = [pool.submit(example, tool, name) for name in examples] + [pool.submit(shown, tool)]
        waiting += [pool.submit(drawn_problem, tool, seed, i, folder) for i in range(count)]
        waiting += [pool.submit(endless_problem, tool, seed + 1, i, folder) for i in range(count // 2)]
        checks = [w.result() for w in waiting]
    complaints = [c for check in checks for c in check.complaints]
    print("\n".join(complaints[:60]))
    if complaints:
        sys.exit(f"{len(complaints)} complaints")
    print(f"{count} random problems of seed {seed}, {count // 2} without an end, {len(examples)} examples and what is shown: {sum(c.compared for c in checks)} numbers agree")


if __name__ == "__main__":
    main()
