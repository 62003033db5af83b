#!/usr/bin/env python3
"""Who may include whom. Folders are layers: a change that reaches downwards does not compile into a tangle unseen.

Reads text only, so it need not be a C++ test, where std::regex is slow to compile under every preset.
"""
import pathlib
import re
import sys

# What each folder may include besides itself. Methods are not here with families or beliefs: they know problems only
# through their interface.
MAY_INCLUDE = {
    "core": [],
    "beliefs": ["core"],
    "solver": ["core"],
    "cashing": ["core", "solver"],
    "problem": ["core", "solver", "cashing"],
    "families": ["core", "beliefs", "solver", "problem"],
    "files": ["core", "beliefs", "solver", "problem", "families"],
    "nn": ["core"],
    "methods": ["core", "solver", "cashing", "problem", "nn"],
    "testing": ["core", "problem"],
    "lab": ["core", "problem"],
    "advice": ["core", "solver", "problem", "lab"],
    "testing": ["core", "problem"],
    "report": ["core", "solver", "cashing", "problem", "lab", "advice"],
}
# The driver of experiments belongs to the tool, which may know everything; but a driver that knew families or methods would
# have experiments in code again.
DRIVER_MAY_INCLUDE = ["core", "solver", "files", "problem", "lab", "report", "experiments"]
# The library never prints, and takes no randomness or time but what it is given.
FORBIDDEN = [r"std::cout", r"std::cerr", r"\bv?f?printf\s*\(", r"\bputs\s*\(", r"\bs?rand\s*\(", r"\brandom_device\b",
             r"\btime\s*\("]


def folder_of(path):
    return path.split("/")[0] if "/" in path else ""


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def include_complaints(path, text):
    """`path` is below include/assay or src: "core/rng.hpp"; assay.hpp has no folder."""
    here = folder_of(path)
    if not here:
        return []  # assay.hpp: all of it, for whoever wants all of it
    if here not in MAY_INCLUDE:
        return [f"{path}: no rule says what the folder '{here}' may include"]
    # Public headers are included as assay/folder/file, private ones as folder/file.
    headers = re.findall(r'#\s*include\s*"(?:assay/)?([^">]+)"|#\s*include\s*<assay/([^>]+)>', without_comments(text))
    headers = [quoted or angled for quoted, angled in headers]
    return [f"{path} includes {header}: {here} may not know {folder_of(header) or 'everything'}"
            for header in headers if folder_of(header) not in [here, *MAY_INCLUDE[here]]]


def driver_complaints(path, text):
    """`path` is "experiments/driver.cpp"; headers are public ones, assay/lab/x.hpp, or private ones, lab/x.hpp."""
    headers = re.findall(r'#\s*include\s*"(?:assay/)?([^"]+)"', without_comments(text))
    return [f"{path} includes {header}: the driver of experiments may not know {folder_of(header) or 'everything'}"
            for header in headers if folder_of(header) not in DRIVER_MAY_INCLUDE]


def word_complaints(path, text):
    found = [re.search(word, without_comments(text)) for word in FORBIDDEN]
    return [f"{path} uses {match.group()}" for match in found if match]


def include_faults(path, header):
    return len(include_complaints(path, f'#pragma once\n#include "assay/{header}"\nint x;\n'))


def check_the_checker():
    for path, header in [("core/rng.hpp", "beliefs/beta.hpp"), ("core/rng.cpp", "solver/exact.hpp"),
                         ("beliefs/beta.hpp", "solver/mdp.hpp"), ("solver/exact.hpp", "beliefs/finite.hpp"),
                         ("solver/exact.cpp", "problem/problem.hpp"), ("problem/problem.hpp", "families/bandit.hpp"),
                         ("problem/problem.hpp", "beliefs/beta.hpp"), ("methods/exact.cpp", "families/bandit.hpp"),
                         ("methods/exact.cpp", "beliefs/beta.hpp"), ("core/rng.hpp", "assay.hpp"),
                         ("elsewhere/thing.hpp", "core/rng.hpp")]:
        assert include_faults(path, header) == 1, (path, header)
    two = '# include <assay/solver/mdp.hpp>\n#include "assay/families/x.hpp"\n'
    assert len(include_complaints("core/a.hpp", two)) == 2

    for path, header in [("core/episode.hpp", "core/rng.hpp"), ("beliefs/beta.hpp", "core/rng.hpp"),
                         ("problem/problem.hpp", "solver/exact.hpp"), ("families/bandit.hpp", "beliefs/beta.hpp"),
                         ("families/bandit.cpp", "problem/registry.hpp"), ("methods/exact.cpp", "problem/registry.hpp"),
                         ("assay.hpp", "families/bandit.hpp")]:
        assert include_faults(path, header) == 0, (path, header)
    assert not include_complaints("core/a.hpp", '// #include "assay/solver/mdp.hpp"\n')

    for header in ["assay/cli.hpp", "assay/families/bandit.hpp", "families/bandit.hpp", "methods/pcr_search.hpp"]:
        assert len(driver_complaints("experiments/driver.cpp", f'#include "{header}"\n')) == 1, header
    for header in ["files/toml_reader.hpp", "assay/core/spec.hpp", "lab/run_store.hpp", "experiments/reader.hpp"]:
        assert not driver_complaints("experiments/driver.cpp", f'#include "{header}"\n'), header

    for line in ["std::cout << 1;", "std::cerr << 1;", 'printf("x");', 'std::fprintf(f, "x");', "int r = rand();",
                 "srand(1);", "std::random_device d;", "auto t = std::time(nullptr);"]:
        assert len(word_complaints("core/a.cpp", f"int f() {{\n  {line}\n}}\n")) == 1, line
        assert not word_complaints("core/a.cpp", f"int f();  // {line}\n"), line
    assert not word_complaints("core/a.cpp", "int operand(int lifetime); int runtime(int);")


def main():
    check_the_checker()
    root = pathlib.Path(__file__).resolve().parents[2]
    library = [(file.relative_to(folder).as_posix(), file.read_text())
               for folder in [root / "include/assay", root / "src"] for file in folder.rglob("*") if file.is_file()]
    assert len(library) > 20, "the library was not found"
    complaints = [c for source in library for c in include_complaints(*source) + word_complaints(*source)]
    driver = [(file.relative_to(root).as_posix(), file.read_text()) for file in (root / "experiments").rglob("*.?pp")]
    assert len(driver) > 8, "the driver of experiments was not found"
    complaints += [c for source in driver for c in driver_complaints(*source) + word_complaints(*source)]
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"{len(library) + len(driver)} files keep to their layers")


main()
