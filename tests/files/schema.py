#!/usr/bin/python3
"""Do docs/problem-file.schema.json and the reader of problem files agree? Debian's python, as Debian has the schema library.
Usage: schema.py TOOL"""
import concurrent.futures
import copy
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/problem-file.schema.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
ABSENT = object()

MAP = {"horizon": 3, "map": "SGT", "actions": ["take"],
       "legend": {"S": {"start": True}, "G": {"reward": 1}, "T": {"shows": "environment"}},
       "environment": [{"name": "a", "legend": {"G": {"reward": 2}}}, {"name": "b", "map": "SG#"}],
       "outcome": [{"state": "G", "action": "take", "next": "S"}]}
HIDDEN = {"horizon": 3, "map": "S??", "hidden": {"letter": "G", "among": "?"},
          "legend": {"S": {"start": True}, "G": {"reward": 1}}}
TABLE = {"horizon": 3, "states": ["s", "t"], "actions": ["go"], "start": "s",
         "environment": [{"name": "a"}, {"name": "b"}],
         "outcome": [{"state": "*", "action": "*"},
                     {"state": "s", "action": "go", "shows": {"a": "x", "b": "y"}},
                     {"state": "t", "action": "go", "options": [{"probability": 1}]}]}
COUNTED = {"horizon": 1, "states": 1, "actions": 1, "start": "0", "outcome": [{"state": "*", "action": "*"}]}
DRAWN = {"horizon": 3, "states": ["s"], "actions": ["bet", "buy"], "start": "s",
         "outcome": [{"state": "s", "action": "bet", "chance": {"beta": [1, 1]}},
                     {"state": "s", "action": "buy", "reward": {"normal": [0, 1]}}]}
DRAWN_MAP = {"horizon": 3, "map": "SGN",
             "legend": {"S": {"start": True}, "G": {"chance": {"beta": [1, 1]}}, "N": {"reward": {"normal": [0, 1]}}}}

OF_MAPS = {"legend": {}, "moves": "four", "stay": True, "walls": "stay", "slip": 0.5, "step_reward": 1, "collect": "arriving",
           "hidden": {"letter": "G", "among": "?"}}
OF_TABLES = {"start": "s", "terminal": [], "outcomes": "list.csv", "environments": 2}
# A file, the table in it, where the schema has its keys, and those of them that are not for a table like this one.
LEVELS = [
    (HIDDEN, "", "", OF_TABLES),
    (COUNTED, "", "", OF_MAPS),
    (MAP, "legend.G", "definitions.letter", {}),
    (MAP, "environment.0.legend.G", "definitions.letter", {}),
    (MAP, "environment.0", "definitions.environment", {}),
    (TABLE, "environment.0", "definitions.environment", {"map": "S", "legend": {}}),
    (HIDDEN, "hidden", "properties.hidden", {}),
    (MAP, "outcome.0", "definitions.outcome", {"accuracy": 0.5}),
    (TABLE, "outcome.1", "definitions.outcome", {}),
    (TABLE, "outcome.2", "definitions.outcome", {"accuracy": 0.5}),
    (TABLE, "outcome.2.options.0", "definitions.option", {}),
    (DRAWN, "outcome.0.chance", "definitions.chance", {}),
    (DRAWN_MAP, "legend.G.chance", "definitions.chance", {}),
    (DRAWN, "outcome.1.reward", "definitions.reward", {}),
]
MISSPELT = "naem"

# A file, a key in it, values that are taken and values that are not. Of numbers, the ends of their range are taken; the
# reader names them when it refuses one. What is taken is tried together: the first values of all keys of a file, then the second.
VALUES = [
    (MAP, "name", ["", "x"], [3]),
    (MAP, "about", ["x"], [["x"]]),
    (TABLE, "horizon", [1, 1000000], [0, 2.5, ABSENT]),
    (TABLE | {"discount": 0.5}, "horizon", [ABSENT, "endless"], ["long"]),
    (TABLE, "horizon", [], ["endless"]),
    (TABLE | {"discount": 0.5, "tolerance": 0.01}, "horizon", [ABSENT, "endless"], [3]),
    (TABLE | {"discount": 0.5, "horizon": "endless"}, "tolerance", [0.5, 1e-12, ABSENT], [0, 0.6]),
    (TABLE | {"discount": 0.5, "horizon": "endless"}, "episodes", [ABSENT], [1, 2]),
    (TABLE | {"discount": 0.5, "episodes": 1}, "horizon", [1], [ABSENT]),
    (TABLE | {"discount": 1}, "horizon", [], [ABSENT]),
    (TABLE, "discount", [0, 1], [1.01]),
    (COUNTED, "episodes", [1, 1000000], [0, 1.5]),
    (MAP, "map", ["SGT\n", "SGT"], [" \n ", 3, ABSENT]),
    ({"horizon": 3}, "map", [], [ABSENT]),
    (TABLE, "map", [], ["S"]),
    (MAP, "actions", ["take", ["take", "run"]], [2, [""], ["take", "take"]]),
    (HIDDEN, "actions", [[]], []),
    (HIDDEN, "legend", [], ["S", {"S": 1}]),
    (HIDDEN, "legend.\t", [{}], []),
    (HIDDEN, "legend.GG", [], [{}]),
    (HIDDEN, "legend.#", [], [{}]),
    (HIDDEN, "legend.\u00e4", [], [{}]),
    (MAP, "moves", ["four", "eight"], ["six"]),
    (MAP, "stay", [True, False], ["yes"]),
    (MAP, "walls", ["forbid", "stay"], ["bump"]),
    (MAP, "collect", ["arriving", "entering"], ["leaving"]),
    (MAP, "slip", [1, 0], [1.01]),
    (MAP | {"moves": "eight"}, "slip", [0], [0.5]),
    (MAP, "step_reward", [-1e9, 1e9], [1.01e9]),
    (HIDDEN, "hidden.letter", ["G"], ["#", "\u00e4", ABSENT]),
    (HIDDEN, "hidden.among", ["?"], ["??", ABSENT]),
    (HIDDEN, "hidden", [], ["G"]),
    (HIDDEN, "environment", [], [[{"name": "a"}]]),
    (HIDDEN | {"hidden": {"letter": "?", "among": "?"}}, "legend.?", [{"reward": 1}], []),
    (MAP, "environment", [], [[], {"name": "a"}]),
    (MAP, "environment.0.name", ["a"], ["", 1]),
    (MAP, "environment.0.weight", [0, 1e12], [-1]),
    (MAP, "environment.0.map", ["SGT", "SG#"], [""]),
    (MAP, "environment.0.legend.GG", [], [{}]),
    (MAP, "legend.G.name", ["goal"], [1]),
    (MAP, "legend.G.reward", [-1e9, 1e9], [1.01e9, "1"]),
    (MAP, "legend.G.chance", [0, 1], [1.01]),
    (MAP, "legend.G.once", [True, False], ["yes"]),
    (MAP, "legend.G.step_reward", [-1e9, 1e9], [1.01e9]),
    (MAP, "legend.G.start", [True, 1e-12, 1e12, False], [0, "yes"]),
    (MAP, "legend.G.shows", ["environment", {"a": "x", "b": "y"}], ["x", {}, {"a": 1, "b": 2}]),
    (MAP, "legend.G.accuracy", [0, 1], [1.01]),
    (MAP, "legend.G.wall", [False], [0]),
    (MAP, "legend.G.terminal", [False, True], ["yes"]),
    (MAP, "legend.G.teleport", ["S", ""], ["SS", "\u00e4"]),
    (DRAWN_MAP, "legend.G.looks", [0, 100], [-1, 1.5]),
    (DRAWN_MAP, "legend.N.looks", [0], [1]),
    (DRAWN_MAP, "legend.G.reward", [2], [{"normal": [0, 1]}]),
    (DRAWN_MAP, "legend.S.shows", ["rewards"], []),
    (TABLE, "states", [], [["s", ""], ["s", "s"]]),
    (TABLE, "actions", ["go"], [[], ABSENT]),
    (COUNTED, "states", ["0", ["0"], 2], [0, "", []]),
    (COUNTED, "actions", [2], [0, ""]),
    (COUNTED, "environments", [1, 2], [0, 1.5]),
    (TABLE, "environments", [], [2]),
    (TABLE, "start", ["s", {"s": 1e-12, "t": 1e12}], [{}, {"s": 0}, 1, ABSENT]),
    (TABLE, "terminal", ["t", ["t"], []], [1]),
    (TABLE, "outcome", [], [ABSENT, {}, ["s"]]),
    (COUNTED | {"outcomes": "list.csv"}, "outcome", [ABSENT, []], []),
    (COUNTED, "outcomes", ["list.csv"], ["", "/list.csv"]),
    (TABLE, "outcome.0.state", ["*", ["s", "t"]], [[], 1, ABSENT]),
    (TABLE, "outcome.0.action", ["go", ["go", "arrive"]], [[], 1, ABSENT]),
    (TABLE, "outcome.1.environment", ["a", ["a", "b"]], [[], 1]),
    (TABLE, "outcome.0.next", ["s", ABSENT], [{}, {"s": 1.5, "t": -0.5}, {"s": "1"}]),
    (TABLE | {"horizon": 2}, "outcome.0.next", [{"s": 1, "t": 0}], []),
    (TABLE, "outcome.0.shows", ["x", {"x": 1, "y": 0}], [{}, {"x": 1.5, "y": -0.5}, {"a": "x", "b": 1}]),
    (TABLE, "outcome.1.accuracy", [0, 1], [1.01]),
    (TABLE, "outcome.1", [], [{"state": "s", "action": "go", "shows": "x", "accuracy": 0.5},
                              {"state": "s", "action": "go", "shows": {"x": 1}, "accuracy": 0.5}]),
    (TABLE, "outcome.0.reward", [1], []),
    (TABLE, "outcome.0.chance", [0.5], []),
    (TABLE, "outcome.0.once", [False], [1]),
    (TABLE, "outcome.1.source", ["eyes"], [1]),
    (TABLE, "outcome.2.chance", [], [0.5]),
    (TABLE, "outcome.2.next", [], ["s"]),
    (TABLE, "outcome.2.shows", [], ["x"]),
    (TABLE, "outcome.2.options", [], [[], [1], [{"probability": -0.5}, {"probability": 1.5}]]),
    (TABLE, "outcome.2.options.0.probability", [1.0], [ABSENT]),
    (TABLE, "outcome.2.options.0.reward", [-1e9, 1e9], [1.01e9]),
    (TABLE, "outcome.2.options.0.next", ["s"], [{"s": 1}]),
    (TABLE, "outcome.2.options.0.shows", ["x"], [{"x": 1}]),
    (DRAWN, "outcome.0.chance.beta", [[0.01, 1e4]], [[0.009, 1], [1, 1.1e4], [1], [1, 1, 1], ["1", 1], ABSENT]),
    (DRAWN, "outcome.0.looks", [0, 100], []),
    (DRAWN, "outcome.0.unknown", ["luck"], [1]),
    (DRAWN, "outcome.1.reward.normal", [[-1e6, 1e-9], [1e6, 1e6]], [[0, 0], [1.1e6, 1], [0, 1.1e6], [0], [0, 1, 1]]),
    (DRAWN, "outcome.1.reward", [], [{"noise": 1}]),
    (DRAWN, "outcome.1.reward.noise", [0, 1e6], [-0.1]),
    (DRAWN, "outcome.1.looks", [0], [1]),
    (DRAWN, "outcome.1.chance", [], [0.5]),
]


def steps(path):
    return [int(step) if step.isdigit() else step for step in path.split(".")] if path else []


def at(tree, way):
    for step in steps(way) if isinstance(way, str) else way:
        tree = tree[step]
    return tree


def with_key(file, path, value):
    changed = copy.deepcopy(file)
    *above, key = steps(path) if isinstance(path, str) else path
    if value is ABSENT:
        at(changed, above).pop(key, None)
    else:
        at(changed, above)[key] = value
    return changed


def joined(*keys):
    return ".".join(key for key in keys if key)


def toml_value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    return json.dumps(value)


def toml_text(file):
    return "".join(f"{json.dumps(key)} = {toml_value(value)}\n" for key, value in file.items())


class Reader:
    """`assay check`, on many files at a time; of each, its complaint or nothing."""

    def __init__(self, tool, folder):
        self.tool, self.folder, self.asked = tool, pathlib.Path(folder), 0
        (self.folder / "list.csv").write_text("state,action\n0,0\n")

    def complaint(self, path):
        check = subprocess.run([self.tool, "check", str(path)], capture_output=True, text=True, timeout=60)
        assert check.returncode in (0, 2), (path, check)  # a crash is no refusal
        return check.stderr if check.returncode else None

    def complaints(self, paths):
        self.asked += len(paths)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(self.complaint, paths))

    def complaints_about(self, files):
        paths = [self.folder / f"{number}.toml" for number in range(len(files))]
        for path, file in zip(paths, files):
            path.write_text(toml_text(file))
            assert tomllib.loads(path.read_text()) == file, file
        return self.complaints(paths)


def schema_complaint(file):
    errors = [f"{'.'.join(map(str, error.absolute_path))}: {error.message}" for error in VALIDATOR.iter_errors(file)]
    return "; ".join(errors) or None


def limit_fault(file, complaint):
    """If the reader names the range or the words that it takes: does the schema refuse the file for the same ones?"""
    errors = list(VALIDATOR.iter_errors(file))
    if found := re.search(r"out of range; it is from (\S+) to (\S+)$", complaint):
        named = tuple(map(float, found.groups()))
        known = [(error.schema.get("minimum", named[0] if "exclusiveMinimum" in error.schema else None),
                  error.schema.get("maximum")) for error in errors]
    elif found := re.search(r'; .* "(\w+)" or "(\w+)"$', complaint):
        named, known = found.groups(), [tuple(error.schema.get("enum", [])) for error in errors]
    else:
        return []
    return [] if named in known else [f"the reader takes {named}, the schema {known}"]


def resolved(node):
    while "$ref" in node:
        node = at(SCHEMA, node["$ref"].removeprefix("#/").replace("/", "."))
    return node


def note_use(node, value, used):
    """Which of the schema's keys a file has."""
    node = resolved(node)
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in node.get("properties", {}):
                used.add(id(node["properties"][key]))
                note_use(node["properties"][key], inner, used)
            for pattern, letter in node.get("patternProperties", {}).items():
                if re.search(pattern, key):
                    note_use(letter, inner, used)
    elif isinstance(value, list) and isinstance(node.get("items"), dict):
        for inner in value:
            note_use(node["items"], inner, used)


def known_keys(complaint):
    """The keys that the reader would have taken: the first of them, and how many there are."""
    found = re.search(rf"unknown key '{MISSPELT}'.* \(known: ([^)]*?)(?: and (\d+) more)?\)", complaint or "")
    assert found, f"no complaint about a key '{MISSPELT}': {complaint}"
    names = set(found.group(1).split(", "))
    return names, len(names) + int(found.group(2) or 0)


def file_faults(reader):
    """All examples fit the schema, and so does what the reader takes of the fuzzer's files."""
    examples = sorted((ROOT / "examples/problems").glob("*.toml"))
    corpus = sorted((ROOT / "tests/fuzz/corpus/problem_file").glob("*.toml"))
    assert len(examples) > 10 and len(corpus) > 40, "the problem files were not found"
    faults, refused = [], []
    for path in examples + corpus:
        try:
            said = schema_complaint(tomllib.loads(path.read_text()))
        except tomllib.TOMLDecodeError:
            assert path in corpus, path
            continue
        if said and path in examples:
            faults.append(f"{path}: {said}")
        elif said:
            refused.append((path, said))
    # The reader need only be asked about what the schema refuses: that is where they may differ.
    complaints = reader.complaints([path for path, _ in refused])
    return faults + [f"{path}: the reader takes it, the schema does not: {said}"
                     for (path, said), complaint in zip(refused, complaints) if complaint is None]


def key_faults(reader):
    faults = []
    complaints = reader.complaints_about([with_key(file, joined(path, MISSPELT), 1) for file, path, _, _ in LEVELS])
    for (file, path, where, elsewhere), complaint in zip(LEVELS, complaints):
        first, count = known_keys(complaint)
        properties = at(SCHEMA, where)["properties"]
        keys = set(properties) - set(elsewhere)
        if not first <= keys or count != len(keys):
            faults.append(f"{path or 'top level'}: the reader knows {sorted(first)} ({count}), the schema {sorted(keys)}")
        faults += [f"{joined(path, key)}: the schema takes it there" for key, value in [(MISSPELT, 1), *elsewhere.items()]
                   if not schema_complaint(with_key(file, joined(path, key), value))]
        faults += [f"{joined(where, key)} has no description" for key, node in properties.items()
                   if "description" not in resolved(node)]
    return faults


def taken_together():
    """(what, file)"""
    rounds = {}
    for base, path, good, _ in VALUES:
        for turn, value in enumerate(good):
            what, file = rounds.get((id(base), turn), ([], base))
            rounds[id(base), turn] = ([*what, said(path, value)], with_key(file, path, value))
    return [(", ".join(what), file) for what, file in rounds.values()]


def not_taken():
    return [(said(path, value), with_key(base, path, value)) for base, path, _, bad in VALUES for value in bad]


def said(path, value):
    return f"{path} left out" if value is ABSENT else f"{path} = {toml_value(value)}"


def value_faults(reader):
    faults = []
    good, bad = taken_together(), not_taken()
    complaints = reader.complaints_about([file for _, file in good + bad])
    for (what, file), complaint in zip(good, complaints):
        faults += [f"the {who} refuses {what}: {refusal.strip()}"
                   for who, refusal in [("reader", complaint), ("schema", schema_complaint(file))] if refusal]
    for (what, file), complaint in zip(bad, complaints[len(good):]):
        faults += [f"the {who} takes {what}"
                   for who, refusal in [("reader", complaint), ("schema", schema_complaint(file))] if not refusal]
        faults += [f"{what}: {fault}" for fault in limit_fault(file, (complaint or "").strip())]
    return faults


def places(value, above=()):
    """The ways to everything that a file holds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, held in inner:
        yield (*above, key)
        yield from places(held, (*above, key))


def type_faults():
    """A date is right nowhere."""
    return sorted({f"the schema takes a date as {'.'.join(map(str, way))}" for _, file in taken_together()
                   for way in places(file) if VALIDATOR.is_valid(with_key(file, way, datetime.date(1979, 5, 27)))})


def unused_faults():
    """A key that none of the files here has could be of any type in the schema."""
    used = set()
    for _, file in taken_together():
        note_use(SCHEMA, file, used)
    return [f"no file has {joined(where, key)}" for where in sorted({level[2] for level in LEVELS})
            for key, node in at(SCHEMA, where)["properties"].items() if id(node) not in used]


def main():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    with tempfile.TemporaryDirectory() as folder:
        reader = Reader(os.path.abspath(sys.argv[1]), folder)
        faults = file_faults(reader) + key_faults(reader) + value_faults(reader) + type_faults() + unused_faults()
    if faults:
        sys.exit("\n".join(faults))
    print(f"the schema and the reader agree: asked about {reader.asked} files")


main()
