#!/usr/bin/env python3
"""Kills a quick reproduction (kill -9) at random moments, resumes it each time, and compares what it leaves in the end,
byte by byte, with one that was left alone. Before that, it is stopped once by Ctrl-C. Usage: kill.py TOOL WHOLE KILLS,
where WHOLE is the folder in which `assay reproduce --quick --out out` ran to its end."""
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


def finish(tool, folder, due):
    """Carries the work to its end, which must be the same as that of work that was left alone."""
    subprocess.run(command(tool, "--resume"), cwd=folder, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    found = digest(folder)  # nothing that the killed ones left aside among it
    different = [name for name in sorted(due.keys() | found.keys()) if due.get(name) != found.get(name)]
    assert not different, f"not the same after kills: {different}"


def main():
    tool, whole, kills = os.path.realpath(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    random.seed(20240229)
    due = digest(whole)
    assert len(due) > 20 and "out/report.html" in due, due
    with tempfile.TemporaryDirectory() as scratch:
        killed = pathlib.Path(scratch) / "killed 1"
        killed.mkdir()
        interrupt(tool, killed)
        unfinished = subprocess.run(command(tool), cwd=killed, capture_output=True, text=True)
        assert unfinished.returncode == 2 and "--resume" in unfinished.stderr, unfinished.stderr

        # How fast the machine is just then decides how far each life gets: work that ended before enough kills is compared,
        # and begun again.
        longest = 1.5  # seconds
        done, rounds = 0, 1
        while done < kills:
            process = subprocess.Popen(command(tool, "--resume"), cwd=killed, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            try:
                errors = process.communicate(timeout=random.uniform(0.02, longest))[1]
                assert process.returncode == 0, errors
                finish(tool, killed, due)
                rounds += 1
                longest /= 2
                killed = pathlib.Path(scratch) / f"killed {rounds}"
                killed.mkdir()
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                done += 1
        finish(tool, killed, due)

        # Once more: all is done, so no policy is trained again, and nothing changes.
        policies = {p: p.stat().st_mtime_ns for p in killed.rglob("*.policy")}
        assert len(policies) > 5, policies
        finish(tool, killed, due)
        assert all(p.stat().st_mtime_ns == written for p, written in policies.items())
        print(f"{kills} kills in {rounds} rounds, {len(due)} files identical")


main()
