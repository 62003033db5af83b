#!/usr/bin/env python3
"""Kills a quick reproduction (kill -9) at random moments, resumes it each time, and compares what it leaves in the end,
byte by byte, with one that was left alone. Before that, it is stopped once by Ctrl-C. Usage: kill.py TOOL KILLS"""
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


def command(tool, *more):
    """To be run in a folder of its own: the page shows the name of the folder it was made from."""
    return [tool, *ARGUMENTS, "--out", "out", *more]


def interrupt(tool, folder):
    """Ctrl-C: it says how to go on, and what it says works."""
    process = subprocess.Popen(command(tool), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not (folder / "out" / "assay.db").exists():
        time.sleep(0.01)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 130, (process.returncode, errors)
    advice = "assay " + " ".join(command("", "--resume")[1:])
    assert errors.strip().endswith(advice), errors


def digest(folder):
    """Everything but the database (which holds times) and the lock."""
    files = sorted(p for p in folder.rglob("*") if p.is_file() and p.name not in ["assay.db", "lock"])
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def main():
    tool, kills = os.path.realpath(sys.argv[1]), int(sys.argv[2])
    random.seed(20240229)
    with tempfile.TemporaryDirectory() as scratch:
        whole, killed = pathlib.Path(scratch) / "whole", pathlib.Path(scratch) / "killed"
        whole.mkdir()
        killed.mkdir()
        begin = time.monotonic()
        subprocess.run(command(tool), cwd=whole, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        duration = time.monotonic() - begin
        due = digest(whole)
        assert len(due) > 20 and "out/report.html" in due, due
        interrupt(tool, killed)

        # The moments are spread over the whole: each time a little more is left to be done.
        survived = 0
        for number in range(kills):
            process = subprocess.Popen(command(tool, "--resume"), cwd=killed, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            try:
                process.wait(timeout=random.uniform(0.02, 2.2 * duration / kills))
                survived += 1
                assert process.returncode == 0, process.stderr.read()
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
        assert survived <= kills // 2, f"{survived} of {kills} ended before they could be killed"

        unfinished = subprocess.run(command(tool), cwd=killed, capture_output=True, text=True)
        done = unfinished.returncode == 0
        assert done or (unfinished.returncode == 2 and "--resume" in unfinished.stderr), unfinished.stderr
        subprocess.run(command(tool, "--resume"), cwd=killed, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        found = digest(killed)
        left = [name for name in found if ".tmp." in name]
        for name in left:
            found.pop(name)
        different = [name for name in sorted(due.keys() | found.keys()) if due.get(name) != found.get(name)]
        assert not different, f"not the same after {kills} kills: {different}"

        # Once more: all is done, so nothing is trained, and nothing changes.
        again = time.monotonic()
        subprocess.run(command(tool), cwd=killed, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert time.monotonic() - again < 0.5 * duration + 1
        assert {n: h for n, h in digest(killed).items() if ".tmp." not in n} == due
        print(f"{kills - survived} kills of a reproduction of {duration:.1f} s, {len(due)} files identical")


main()
