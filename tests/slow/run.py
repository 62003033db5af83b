#!/usr/bin/env python3
"""Every test in the list of slow tests exists, and they are fewer than a tenth of all tests. usage: run.py BUILD_DIR"""
import json
import os
import re
import subprocess
import sys

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'slow.cmake')
MOST = 0.1


def main():
    shown = subprocess.run(['ctest', '--show-only=json-v1'], cwd=sys.argv[1], capture_output=True, text=True, check=True).stdout
    labels = {}
    for test in json.loads(shown)['tests']:
        labels[test['name']] = [label for p in test.get('properties', []) if p['name'] == 'LABELS' for label in p['value']]
    with open(LIST, encoding='utf-8') as file:
        lines = [line for line in file if not line.startswith('#')]
    listed = [match.group(1) for line in lines for match in [re.match(r'  (\w[^\s.]*\.\S+)', line)] if match]
    problems = [f'{name} is not followed by what takes its time' for name in listed
                if not any(re.match(rf'  {re.escape(name)}  +# \S', line) for line in lines)]
    # Executables that are not built stand for their tests.
    if not any(name.endswith('_NOT_BUILT') for name in labels):
        problems += [f'there is no test {name}' for name in listed if name not in labels]
    problems += [f'{name} is listed, but has not the label' for name in listed if name in labels and 'slow' not in labels[name]]
    problems += [f'{name} is listed twice' for name in sorted(set(listed)) if listed.count(name) > 1]
    slow = [name for name, of in labels.items() if 'slow' in of]
    if not listed or len(slow) < len(listed):
        problems.append('the list was not read')
    if len(slow) >= MOST * len(labels):
        problems.append(f'{len(slow)} of {len(labels)} tests are slow: it must be fewer than {MOST:.0%}')
    print(f'{len(slow)} of {len(labels)} tests are slow')
    if problems:
        sys.exit('\n'.join(problems))


main()
