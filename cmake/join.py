#!/usr/bin/env python3
"""Joins C++ sources that can be compiled as one: most of the time that a short file takes goes into the headers that it includes.

usage: join.py FOLDER NAME SIZE INCLUDE_DIRS SOURCE...

Writes FOLDER/NAME_<number>.cpp, each of which includes at most SIZE sources, and FOLDER/NAME.txt, which lists the files that are to
be compiled: these, and the sources that stay alone. INCLUDE_DIRS are separated by colons. All paths are absolute.

Some names are hidden, that is, no other file is meant to see them: those in an anonymous namespace, static functions, constants,
aliases, using-declarations. If another source of a group uses or declares such a name, or a header that only this other source
includes declares it, then the joined file renames it where it is hidden, by a macro around that source. Where a macro could
change more, because the name is also that of a member or of something in a header, the two sources stay apart. The same
using-declaration or alias may occur in both. Headers come first in a joined file, so that neither hidden names nor macros are in their
way. Macros of a source are undefined after it. A source stays alone if it has a using-directive, or defines a macro or asks for one
before it includes a header.
"""
import os
import re
import sys

TOKEN = re.compile(
    r'R"(?P<mark>[^(\s]*)\((?:.|\n)*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/'
    r"|(?P<directive>^[ \t]*#(?:\\\n|[^\n])*)|(?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)|(?P<word>[A-Za-z_]\w*)|(?P<sign>::|->|\S)",
    re.MULTILINE)
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
DEFINE = re.compile(r'\s*#\s*define\s+(\w+)')
CAMEL_CASE = re.compile(r'k?[A-Z]')
WORD = re.compile(r'[A-Za-z_]')
TESTS = {'TEST', 'TEST_F', 'TEST_P', 'TYPED_TEST', 'RC_GTEST_PROP', 'RC_GTEST_FIXTURE_PROP'}
BEFORE_USE = {'return', 'throw', 'case', 'else', 'do', 'new', 'delete', 'requires', 'co_return', 'co_yield', 'in', 'sizeof', 'constexpr', 'const', 'typename',
              'static', 'inline', 'public', 'private', 'protected', 'virtual', 'struct', 'class', 'enum', 'using', 'template', 'mutable', 'explicit', 'friend'}
NOT_NAMES = set('''alignas auto bool char class const consteval constexpr constinit decltype double enum explicit extern false
float friend inline int long mutable namespace noexcept nullptr operator override requires short signed sizeof static struct
template this thread_local true typedef typename union unsigned using virtual void volatile'''.split())


def without_angles(words):
    """The statement without what stands between < and >, as far as that is a list of template arguments."""
    kept, depth = [], 0
    for i, word in enumerate(words):
        if word == '<' and i > 0 and (words[i - 1] == 'template' or re.match(r'\w', words[i - 1])):
            depth += 1
        elif word == '>' and depth > 0:
            depth -= 1
        elif depth == 0:
            kept.append(word)
    return kept


def declared(statement):
    """The names that a statement at namespace scope declares. The statement ends before its ; or {."""
    words = without_angles(statement)
    while '[' in words and words[words.index('[') + 1:words.index('[') + 2] == ['[']:  # an attribute
        begin = words.index('[')
        end = next((i for i in range(begin, len(words) - 1) if words[i] == words[i + 1] == ']'), len(words))
        words = words[:begin] + words[end + 2:]
    if not words:
        return []
    if words[0] in TESTS and len(words) > 4:
        return [words[2] + '_' + words[4] + '_Test']
    if words[0] == 'using':
        if words[1] == 'namespace':
            return []
        return [words[words.index('=') - 1] if '=' in words else words[-1]]
    if words[0] == 'namespace':
        return [words[1]]
    for kind in ('struct', 'class', 'union', 'enum', 'concept'):
        if kind in words and '(' not in words[:words.index(kind)]:
            rest = [w for w in words[words.index(kind) + 1:] if w not in ('class', 'struct')]
            # `struct S x = ...` and the like do not occur; what follows the name is a base, `final` or the end.
            if rest and re.match(r'[A-Za-z_]', rest[0]) and (len(rest) == 1 or rest[1] in (':', 'final', '=')):
                return [rest[0]]
    if 'operator' in words:
        return []
    depth, names = 0, []
    for i, word in enumerate(words):
        if depth == 0 and word in ('(', '=', '[', ',') or i == len(words) - 1:
            last = word if i == len(words) - 1 and re.match(r'[A-Za-z_]', word) else words[i - 1] if i > 0 else ''
            before = words[i - 1] if last is word else words[i - 2] if i > 1 else ''
            if re.match(r'[A-Za-z_]', last) and last not in NOT_NAMES and before not in ('::', '.', '->', ''):
                names.append(last)
            if word != ',':
                break
        depth += (word in '([') - (word in ')]')
    return names


class Source:
    """What a source or header declares and uses."""

    def __init__(self, path, include_dirs):
        with open(path, encoding='utf-8') as file:
            text = file.read()
        self.path = path
        found = [match for match in TOKEN.finditer(text) if match.lastgroup in ('word', 'sign', 'directive')]
        self.words = [match.group() for match in found if match.lastgroup != 'directive']
        self.directives = [match.group() for match in found if match.lastgroup == 'directive']
        self.macros = [match.group(1) for match in map(DEFINE.match, self.directives) if match]
        self.seen = set()       # names that are looked up: not members of what stands before, nor declared where they stand
        self.qualified = set()  # names that follow a dot, an arrow or two colons
        self.declared = set()   # names of all that is declared in namespaces
        self.hidden = {}        # those of them that other files must not see, with the text of an alias
        self.open = set()       # those of them that lie in a namespace with a name
        self.leaks = False      # it would change what others mean
        self.headers = []       # of this project, their paths
        self.includes = []      # as directives
        self.read_words()
        self.read_directives(include_dirs)
        self.read_declarations()

    def read_words(self):
        for i, word in enumerate(self.words):
            if not WORD.match(word):
                continue
            before = self.words[i - 1] if i > 0 else ''
            if before in ('.', '->') or (before == '::' and i > 1 and self.words[i - 2] == 'std'):
                self.qualified.add(word)
            elif before == '::':
                self.qualified.add(word)
                self.seen.add(word)
            elif not WORD.match(before) or before in BEFORE_USE:
                self.seen.add(word)

    def read_directives(self, include_dirs):
        condition = defined = False
        for line in self.directives:
            condition = condition or bool(re.match(r'\s*#\s*if', line))
            defined = defined or bool(DEFINE.match(line))
            include = INCLUDE.match(line)
            if not include:
                self.seen |= set(re.findall(r'[A-Za-z_]\w*', line))
                continue
            self.leaks = self.leaks or condition or defined
            own = os.path.normpath(os.path.join(os.path.dirname(self.path), include.group(1)))
            places = [own] + [os.path.join(d, include.group(1)) for d in include_dirs]
            self.headers += [p for p in places if os.path.isfile(p)][:1]
            self.includes.append(own if os.path.isfile(own) else line.strip())

    def read_declarations(self):
        scopes, statement, i = [], [], 0  # scopes: of each open namespace, whether it has no name
        words = self.words
        while i < len(words):
            word = words[i]
            if word == '{' and ('namespace' in statement or statement == ['extern']):
                scopes.append(statement[-1:] == ['namespace'])
                statement = []
            elif word == '{':
                self.declare(statement, any(scopes), body=True)
                depth = 0
                while i < len(words):
                    depth += (words[i] == '{') - (words[i] == '}')
                    if depth == 0:
                        break
                    i += 1
                statement = []
            elif word == '}' and scopes:
                scopes.pop()
                statement = []
            elif word == ';':
                self.declare(statement, any(scopes))
                statement = []
            else:
                statement.append(word)
            i += 1

    def declare(self, statement, unnamed, body=False):
        if statement[:2] == ['using', 'namespace']:
            self.leaks = True
        names = declared(statement)
        self.declared.update(names)
        alias = statement[:1] in (['using'], ['namespace'], ['typedef'])
        variable = not body or '=' in statement
        if unnamed or alias or 'static' in statement or (variable and ('constexpr' in statement or 'const' in statement[:1])):
            for name in names:
                self.hidden[name] = ' '.join(statement) if alias else ''
                if not unnamed:
                    self.open.add(name)


class Tree:
    """All headers that were read."""

    def __init__(self, include_dirs):
        self.include_dirs = include_dirs
        self.sources = {}
        self.below = {}

    def get(self, path):
        if path not in self.sources:
            self.sources[path] = Source(path, self.include_dirs)
        return self.sources[path]

    def headers(self, path):
        """All headers that a file includes, and those that they include."""
        if path not in self.below:
            found, left = set(), list(self.get(path).headers)
            while left:
                header = left.pop()
                if header not in found:
                    found.add(header)
                    left += self.get(header).headers
            self.below[path] = found
        return self.below[path]

    def shared(self, one, other):
        """The hidden names of one source that the other one, or a header of it, has too."""
        extra = self.headers(other.path) - self.headers(one.path)
        for name, text in one.hidden.items():
            if text and other.hidden.get(name) == text:
                continue
            if name in other.seen or name in other.declared or any(
                    name in self.get(h).declared or (name in one.open and name in self.get(h).seen) for h in extra):
                yield name

    def can_rename(self, source, name):
        """Does a macro change nothing but what the source itself declares?"""
        return (name in source.words and name not in source.qualified and not source.hidden[name] and
                not any(name in self.get(h).declared for h in self.headers(source.path)))


class Group:
    """Sources that are compiled as one."""

    def __init__(self, source):
        self.sources = [source]
        self.renamed = {}  # path of a source: names that the others must not see

    def takes(self, tree, other, size):
        """Adds the sources of another group, unless a hidden name would be seen that cannot be renamed."""
        if len(self.sources) + len(other.sources) > size:
            return False
        renamed = [(one, name) for old in self.sources for new in other.sources for one, two in ((old, new), (new, old))
                   for name in tree.shared(one, two)]
        if not all(tree.can_rename(one, name) for one, name in renamed):
            return False
        self.sources += other.sources
        for path, names in other.renamed.items():
            self.renamed.setdefault(path, set()).update(names)
        for one, name in renamed:
            self.renamed.setdefault(one.path, set()).add(name)
        return True

    def text(self, folder):
        """The joined file: all headers, so that no name is in their way, then the sources. Paths are relative, so that a cache of
        compiled files knows it again in another folder."""
        def include(path):
            return f'#include "{os.path.relpath(path, folder)}"'

        lines = [line if line.startswith('#') else include(line) for source in self.sources for line in source.includes]
        lines = list(dict.fromkeys(lines))
        for number, source in enumerate(self.sources):
            names = sorted(self.renamed.get(source.path, ()))
            for name in names:
                lines.append(f'#define {name} {name}{"Of" if CAMEL_CASE.match(name) else "_of_"}{number}')
            lines.append(include(source.path))
            lines += [f'#undef {name}' for name in names + source.macros]
        return '\n'.join(lines) + '\n'


def join(tree, sources, size):
    """Groups of sources. Those of one folder go together, so that a new one changes few groups; small groups are united."""
    groups = {}
    alone = []
    for path in sources:
        if not os.path.isfile(path):
            continue  # removed since CMake listed the sources, which it now does again
        new = Group(tree.get(path))
        if new.sources[0].leaks:
            alone.append(new)
            continue
        here = groups.setdefault(os.path.dirname(path), [])
        if not any(group.takes(tree, new, size) for group in here):
            here.append(new)
    united = []
    for group in (group for here in groups.values() for group in here):
        if not any(old.takes(tree, group, size) for old in united):
            united.append(group)
    return united + alone


def write(path, text):
    """Writes a file unless it has this text already: what is compiled again depends on when it was written."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    folder, name, size, include_dirs, sources = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4].split(':'), sys.argv[5:]
    os.makedirs(folder, exist_ok=True)
    tree = Tree(include_dirs)
    compiled = []
    for number, group in enumerate(join(tree, sources, size)):
        compiled.append(group.sources[0].path)
        if len(group.sources) > 1:
            compiled[-1] = os.path.join(folder, f'{name}_{number}.cpp')
            write(compiled[-1], group.text(folder))
    listed = os.path.join(folder, name + '.txt')
    write(listed, '\n'.join(compiled) + '\n')
    write(listed + '.d', f'{listed}: ' + ' '.join(sorted(tree.sources)) + '\n')


if __name__ == '__main__':
    main()
