#!/usr/bin/env python3
"""Lets the n-th allocation, write, fsync, rename, thread or call of SQLite fail, n = 1, 2, 3, ..., in commands that write, and looks at
what is left: a clear error and exit code 1 or 2 (or the same result as without the fault), no abort, no hang, finished runs as they were;
and afterwards the same command without faults ends in the same bytes as one that was never disturbed, and leaves nothing aside.

Usage: run.py TOOL INTERPOSER [--all] [--per-kind N] [--only COMMAND]

Without --all, N numbers of each command and kind are tried, spread over all of them. With --all every number is tried, but of the
allocations, of which there are hundreds of thousands, those that are the first from their place (the functions that lead there),
and as many others again, spread over all of them."""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

PROBLEM = "treasure_map(size=2)"
KINDS = ["memory", "write", "sync", "rename", "thread", "sqlite"]
SECONDS = 120  # a command takes one: whatever takes longer hangs

RUN = ["run", PROBLEM, "--method", "td(epochs=2)", "--episodes", "6", "--out", "out", "--resume"]
COMPARE = ["compare", PROBLEM, "--methods", "vi_greedy,random", "--episodes", "6", "--out", "out", "--resume"]
SOLVE = ["solve", "bandit(arms=2,horizon=4)", "--policy", "kept.policy", "--episodes", "20"]
COMMANDS = {
    "run": {"arguments": RUN, "before": []},
    "compare": {"arguments": COMPARE, "before": [RUN]},
    "export": {"arguments": ["export", "out", "--to", "tables"], "before": [RUN]},
    "report": {"arguments": ["report", "out", "-o", "page.html"], "before": [RUN]},
    "solve": {"arguments": SOLVE, "before": []},
}


class Failure(Exception):
    pass


def call(tool, folder, arguments, threads, environment=None):
    if arguments[0] != "export":
        arguments = [*arguments, "--threads", str(threads)]
    try:
        return subprocess.run([tool, *arguments], cwd=folder, env={**os.environ, **(environment or {})}, capture_output=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Failure(f"hangs: {arguments}") from None


def digest(folder):
    """Everything but the database and what times are in, which are never the same twice."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in ["assay.db", "lock", "times.txt"])
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def finished_runs(folder):
    file = folder / "out" / "assay.db"
    if not file.exists():
        return {}
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as store:
        found = store.execute("SELECT id, family, method, seed, checksum FROM runs JOIN run_sums ON run = id WHERE finished = 1")
        return {row[0]: row[1:] for row in found}


class Trial:
    """One command, with what comes before it and what it leaves if nothing fails."""

    def __init__(self, name, tool, interposer, scratch):
        self.name, self.tool, self.interposer = name, tool, interposer
        self.arguments = COMMANDS[name]["arguments"]
        self.base = scratch / f"{name} before"
        self.base.mkdir()
        for arguments in COMMANDS[name]["before"]:
            assert call(tool, self.base, arguments, 1).returncode == 0, arguments
        self.whole = scratch / f"{name} whole"
        shutil.copytree(self.base, self.whole)
        done = call(tool, self.whole, self.arguments, 1)
        assert done.returncode == 0, done.stderr
        self.due = digest(self.whole)
        assert self.due, name
        self.scratch = scratch

    def environment(self, kind, number, log, **more):
        return {"LD_PRELOAD": self.interposer, "FAULT_KIND": kind, "FAULT_AT": str(number), "FAULT_LOG": str(log), **more}

    def threads(self, kind):
        return 2 if kind == "thread" else 1

    def count(self, kind, **more):
        """How many calls there are; or the lines of FAULT_PLACES."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            work, log = pathlib.Path(folder) / "work", pathlib.Path(folder) / "log"
            shutil.copytree(self.base, work)
            done = call(self.tool, work, self.arguments, self.threads(kind), self.environment(kind, 0, log, **more))
            assert done.returncode == 0, done.stderr
            return [int(line) for line in log.read_text().split()]

    def attempt(self, kind, number):
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            work, log = pathlib.Path(folder) / "work", pathlib.Path(folder) / "log"
            shutil.copytree(self.base, work)
            before = finished_runs(work)
            where = f"{self.name}, {kind} {number}"
            done = call(self.tool, work, self.arguments, self.threads(kind), self.environment(kind, number, log))
            said = done.stderr.decode(errors="replace")
            if done.returncode not in [0, 1, 2]:
                raise Failure(f"{where}: exit code {done.returncode}: {said[-300:]}")
            if done.returncode != 0 and not said.strip().split("\n")[-1].startswith("assay: "):
                raise Failure(f"{where}: no clear error: {said[-300:]}")
            if "assay does not know" in said:
                raise Failure(f"{where}: an error that nobody expected: {said[-300:]}")
            if done.returncode == 0 and digest(work) != self.due:
                raise Failure(f"{where}: it ended as if nothing had happened, with another result")
            after = finished_runs(work)
            if any(after.get(run) != kept for run, kept in before.items()):
                raise Failure(f"{where}: a finished run was changed")
            if self.name == "solve" and done.returncode == 0:
                return done.returncode
            again = call(self.tool, work, self.arguments, 1)
            if self.name == "solve" and again.returncode == 2 and b"kept.policy" in again.stderr:
                (work / "kept.policy").exists() or self.lost(where, again)  # whole, or it would not have its name
            elif again.returncode != 0:
                self.lost(where, again)
            found = digest(work)
            different = [name for name in sorted(self.due.keys() | found.keys()) if self.due.get(name) != found.get(name)]
            if different:
                raise Failure(f"{where}: not the same afterwards: {different}")
            return done.returncode

    def lost(self, where, again):
        raise Failure(f"{where}: afterwards it fails without faults: {again.stderr.decode(errors='replace')[-300:]}")


def spread(count, wanted):
    """Of 1 .. count: the first and the last, and others by chance."""
    if count <= wanted:
        return list(range(1, count + 1))
    return sorted({1, count, *random.sample(range(1, count + 1), wanted - 2)})


def numbers_of(trial, kind, options):
    count = trial.count(kind)[0]
    if not options.all:
        return spread(count, options.per_kind)
    if kind != "memory":
        return list(range(1, count + 1))
    places = trial.count(kind, FAULT_PLACES="1")
    return sorted({*places, *spread(count, len(places))})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=os.path.realpath)
    parser.add_argument("interposer", type=os.path.realpath)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--per-kind", type=int, default=3)
    parser.add_argument("--only", choices=COMMANDS)
    parser.add_argument("--kind", choices=KINDS)
    options = parser.parse_args()
    random.seed(20240229)
    tried, failures = 0, []
    # In memory where there is such a folder: a busy disk takes its time over each fsync.
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where) as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name in [options.only] if options.only else COMMANDS:
            trial = Trial(name, options.tool, options.interposer, pathlib.Path(folder))
            for kind in [options.kind] if options.kind else KINDS:
                numbers = numbers_of(trial, kind, options)
                codes = {}
                for future in [pool.submit(trial.attempt, kind, number) for number in numbers]:
                    try:
                        code = future.result()
                        codes[code] = codes.get(code, 0) + 1
                    except Failure as failure:
                        failures.append(str(failure))
                        print(f"FAIL  {failure}", flush=True)
                tried += len(numbers)
                ends = ", ".join(f"{codes[code]} with code {code}" for code in sorted(codes))
                print(f"{name:8} {kind:7} {len(numbers):6} points: {ends}", flush=True)
    print(f"{tried} points tried, failures {len(failures)}")
    sys.exit(1 if failures else 0)


main()
