#!/usr/bin/env python3
"""Kills a quick reproduction (kill -9) at random moments, resumes it each time, and compares what it leaves in the end,
byte by byte, with one that was left alone. Usage: kill.py TOOL KILLS"""
import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ARGUMENTS = ["reproduce", "--quick", "--checkpoint-seconds", "0.02"]


def command(tool, folder, *more):
    return [tool, *ARGUMENTS, "--out", str(folder), *more]


def digest(folder):
    """Everything but the database (which holds times) and the lock."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in ["assay.db", "lock"])
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def main():
    tool, kills = sys.argv[1], int(sys.argv[2])
    random.seed(20240229)
    with tempfile.TemporaryDirectory() as scratch:
        whole, killed = pathlib.Path(scratch) / "whole", pathlib.Path(scratch) / "killed"
        begin = time.monotonic()
        subprocess.run(command(tool, whole), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        duration = time.monotonic() - begin
        due = digest(whole)
        assert len(due) > 20, due

        # The moments are spread over the whole: each time a little more is left to be done.
        survived = 0
        for number in range(kills):
            process = subprocess.Popen(command(tool, killed, "--resume"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            try:
                process.wait(timeout=random.uniform(0.02, 2.2 * duration / kills))
                survived += 1
                assert process.returncode == 0, process.stderr.read()
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        assert survived <= kills // 2, f"{survived} of {kills} ended before they could be killed"

        unfinished = subprocess.run(command(tool, killed), capture_output=True, text=True)
        done = unfinished.returncode == 0
        assert done or (unfinished.returncode == 2 and "--resume" in unfinished.stderr), unfinished.stderr
        subprocess.run(command(tool, killed, "--resume"), check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        found = digest(killed)
        left = [name for name in found if ".tmp." in name]
        for name in left:
            found.pop(name)
        different = [name for name in sorted(due.keys() | found.keys()) if due.get(name) != found.get(name)]
        assert not different, f"not the same after {kills} kills: {different}"

        # Once more: all is done, so nothing is trained, and nothing changes.
        again = time.monotonic()
        subprocess.run(command(tool, killed), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert time.monotonic() - again < 0.5 * duration + 1
        assert {n: h for n, h in digest(killed).items() if ".tmp." not in n} == due
        print(f"{kills - survived} kills of a reproduction of {duration:.1f} s, {len(due)} files identical")


main()
