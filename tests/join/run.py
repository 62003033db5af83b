#!/usr/bin/env python3
"""cmake/join.py: sources that it joins compile, and say what they say alone. usage: run.py CXX"""
import os
import subprocess
import sys
import tempfile

JOIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'cmake', 'join.py')
CXX = sys.argv[1]
OPTIONS = ['-std=c++20', '-Wall', '-Wextra', '-Wshadow', '-Werror']

HEADERS = {
    'include/nouns.hpp': '''#pragma once
#include <string>
namespace nouns {
inline int worth(double) { return 100; }
struct Box { int size() const { return 7; } };
}
''',
    'include/more.hpp': '''#pragma once
namespace nouns { inline int depth(int) { return 3; } }
''',
    'include/asked.hpp': '''#ifdef WANTED
#define ANSWER 42
#else
#define ANSWER 0
#endif
''',
}


def source(body, namespace='nouns', before=''):
    """A source with what it says as a function that main calls."""
    return f'''#include "nouns.hpp"
{before}
#include <cstdio>
namespace {namespace} {{
{body}
}}
'''


# Sources of one folder, and how many files join.py may make of them. Each has a function say<number>().
CASES = [
    ('the same hidden function, constant, struct and variable', 1, [
        source('namespace { int helper() { return 1; } constexpr int kSteps = 10; struct Thing { int v = 100; }; int counter = 5; }\n'
               'void say0() { std::printf("%d\\n", helper() + kSteps + Thing().v + counter); }'),
        source('namespace { long helper() { return 2; } constexpr int kSteps = 20; struct Thing { int v = 200; }; int counter = 6; }\n'
               'void say1() { std::printf("%ld\\n", helper() + kSteps + Thing().v + counter); }')]),
    ('an overload that the other source must not choose', 1, [
        source('namespace { int worth(int) { return 1; } }\nvoid say0() { std::printf("%d\\n", worth(1)); }').replace(
            '#include "nouns.hpp"', ''),
        source('void say1() { std::printf("%d\\n", worth(1)); }')]),
    ('the same with a header that both include: no macro may rename it', 2, [
        source('namespace { int worth(int) { return 1; } }\nvoid say0() { std::printf("%d\\n", worth(1) + worth(1.0)); }'),
        source('void say1() { std::printf("%d\\n", worth(1)); }')]),
    ('a hidden function that a header of the other source declares', 1, [
        source('namespace { int depth(int) { return 1; } }\nvoid say0() { std::printf("%d\\n", depth(1)); }'),
        source('void say1() { std::printf("2\\n"); }', before='#include "more.hpp"')]),
    ('a hidden name that is a member too', 2, [
        source('namespace { int size() { return 1; } }\nvoid say0() { std::printf("%d\\n", size() + Box().size()); }'),
        source('namespace { int size() { return 2; } }\nvoid say1() { std::printf("%d\\n", size() + Box().size()); }')]),
    ('static functions and constants of a namespace', 1, [
        source('static int part() { return 1; }\nconst int kPart = 4;\nvoid say0() { std::printf("%d\\n", part() + kPart); }'),
        source('static int part() { return 2; }\nconst int kPart = 5;\nvoid say1() { std::printf("%d\\n", part() + kPart); }')]),
    ('aliases that differ', 2, [
        source('using Number = int;\nvoid say0() { std::printf("%d\\n", static_cast<int>(Number(1.5))); }'),
        source('using Number = double;\nvoid say1() { std::printf("%.1f\\n", Number(1.5)); }')]),
    ('the same using-declaration', 1, [
        source('using nouns::Box;\nvoid say0() { std::printf("%d\\n", Box().size()); }', 'users'),
        source('using nouns::Box;\nvoid say1() { std::printf("%d\\n", Box().size() + 1); }', 'users')]),
    ('a using-directive', 2, [
        source('using namespace nouns;\nint weight(int) { return 1; }\nvoid say0() { std::printf("%d\\n", worth(1)); }', 'users'),
        source('void say1() { std::printf("%d\\n", nouns::worth(1)); }', 'users')]),
    ('a macro that only one source defines', 1, [
        source('void say0() { std::printf("%d\\n", VALUE); }').replace('namespace nouns', '#define VALUE 1\nnamespace nouns'),
        source('#ifdef VALUE\n#error "seen"\n#endif\nvoid say1() { std::printf("2\\n"); }')]),
    ('a macro that a header asks for', 2, [
        source('void say0() { std::printf("%d\\n", ANSWER); }', before='#define WANTED\n#include "asked.hpp"'),
        source('void say1() { std::printf("%d\\n", ANSWER); }', before='#include "asked.hpp"')]),
    ('names in comments, texts and nested classes are nobody else\'s', 1, [
        source('namespace { int hidden() { return 1; } }\n/* int other() { */ void say0() { std::printf("%d }{ other\\n", hidden()); }'),
        source('struct Outer { struct Inner { int hidden() const { return 2; } }; };\n// hidden\n'
               'void say1() { std::printf("%d hidden %s\\n", Outer::Inner().hidden(), R"(hidden {)"); }')]),
]


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f'{" ".join(command)}:\n{done.stdout}{done.stderr}')
    return done.stdout


def said(folder, files, main):
    """What a program of these files prints."""
    program = os.path.join(folder, 'program')
    run([CXX, *OPTIONS, '-I' + os.path.join(folder, 'include'), '-o', program, main, *files])
    return run([program])


def check(name, most, texts):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for path, text in list(HEADERS.items()) + [(f'src/s{i}.cpp', text) for i, text in enumerate(texts)]:
            path = os.path.join(folder, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            if path.endswith('.cpp'):
                files.append(path)
        main = os.path.join(folder, 'main.cpp')
        with open(main, 'w', encoding='utf-8') as file:
            namespace = 'users' if 'namespace users' in texts[0] else 'nouns'
            functions = [f'say{i}' for i in range(len(texts))]
            file.write(f'namespace {namespace} {{ ' + ' '.join(f'void {f}();' for f in functions) + ' }\n' +
                       'int main() { ' + ' '.join(f'{namespace}::{f}();' for f in functions) + ' }\n')
        joined = os.path.join(folder, 'joined')
        run([sys.executable, JOIN, joined, 'all', '16', os.path.join(folder, 'include'), *files,
             os.path.join(folder, 'removed.cpp')])
        with open(os.path.join(joined, 'all.txt'), encoding='utf-8') as file:
            compiled = file.read().split()
        if len(compiled) != most:
            raise AssertionError(f'{name}: {len(compiled)} files and not {most}')
        alone, together = said(folder, files, main), said(folder, compiled, main)
        if alone != together:
            raise AssertionError(f'{name}: alone they say {alone!r}, joined {together!r}')


for case in CASES:
    check(*case)
print(f'{len(CASES)} pairs of sources say the same, joined or apart')
