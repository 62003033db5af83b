#!/usr/bin/env bash
# Families, methods and commands from a shared object, and what is said of files that are none. usage: run.sh ASSAY_TOOL OBJECT CXX
set -euo pipefail
tool=$(realpath "$1")
object=$(realpath "$2")
cxx=$3
sources=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAIL: $1" >&2
  exit 1
}
# The output of a call that must succeed has the words.
says() {
  local words=$1
  shift
  "$tool" "$@" >out 2>err || fail "assay $*: $(cat err)"
  grep -qF -- "$words" out || fail "assay $* does not say '$words': $(cat out)"
}
# A call that must be refused: exit code 2, nothing printed, one line that has the words.
refused() {
  local words=$1 code=0
  shift
  "$tool" "$@" >out 2>err || code=$?
  [ "$code" = 2 ] || fail "assay $*: exit code $code, $(cat err)"
  [ ! -s out ] || fail "assay $* prints: $(cat out)"
  [ "$(wc -l <err)" = 1 ] || fail "assay $* says: $(cat err)"
  grep -qF -- "$words" err || fail "assay $* does not say '$words': $(cat err)"
}

# Three keys: the first fits with probability 1/3 (pays 4), the second then with 1/2 (-1 + 4), the last for sure (-2 + 4):
# (4 + 3 + 2) / 3 = 3.
says 3.000000 exact lock --load "$object"
says 3.000000 --load "$object" exact lock
says "the first action that is allowed" list methods "--load=$object"
says "policy cautious" play "lock(keys=2)" --policy cautious --seed 1 --load "$object" --load "$object"
says cautious compare lock --methods "exact,cautious" --episodes 20 --out runs --load "$object"
says "which of several keys fits?" list families --json --load "$object"
# With n keys, by the same sum: 4 - (n - 1) / 2.
says "4 keys  2.5000" keys --most 4 --load "$object"
says "4 keys  2.5000" --load "$object" keys --most 4
says "[4.0000, 3.5000]" "--load=$object" keys --json --most 2
says "Show what a lock is worth" help --load "$object"
says "keys of the largest lock" help keys --load "$object"
says "Show what a lock is worth" --load "$object" --help
refused "unknown command 'keys'" keys
refused "did you mean 'keys'" kyes --load "$object"
refused "'21' is not a whole number from 1 to 20" keys --most 21 --load "$object"
refused "unknown family 'lock'" exact lock
refused "unknown parameter" exact "lock(kys=3)" --load "$object"

refused "there is no file missing.so" list --load missing.so
refused "is not a file" list --load .
echo "not an object" >text.so
refused "text.so is no shared object" list --load text.so
: >empty.so
refused "empty.so is no shared object" list --load empty.so
refused "required TEXT missing" list --load

# Built against another version: it asks for a library of another name.
echo "void assay_of_another_version() {}" >old.cpp
"$cxx" -shared -fPIC -Wl,-soname,libassay.so.0.0 -o libassay.so.0.0 old.cpp
echo "void assay_of_another_version(); void use() { assay_of_another_version(); }" >user.cpp
"$cxx" -shared -fPIC -Wl,--no-as-needed -o user.so user.cpp ./libassay.so.0.0
rm libassay.so.0.0
refused "user.so was built against another version of assay" list --load user.so
# Built against headers that promise what this library does not have.
echo "void promised_by_assay(); struct Use { Use() { promised_by_assay(); } } use;" >promise.cpp
"$cxx" -shared -fPIC -o promise.so promise.cpp
refused "promise.so was built against another version of assay" list --load promise.so
echo "int nothing = 0;" >nothing.cpp
"$cxx" -shared -fPIC -o nothing.so nothing.cpp
refused "registers no family, no method and no command" list --load nothing.so
# The same names a second time, from another file.
cp "$object" copy.so
refused "is registered already" list --load "$object" --load copy.so
# Commands whose name is taken, or cannot be typed.
command() {
  printf '#include <assay/command.hpp>\nstruct S {}; void declare(assay::cli::Options&, S&) {}\n' >"$1.cpp"
  printf 'void run(const S&, const assay::cli::Streams&) {}\n' >>"$1.cpp"
  printf 'const assay::cli::RegisterCommand<S> k({.name = "%s", .summary = "", .help = ""}, declare, run);\n' "$2" >>"$1.cpp"
  "$cxx" -std=c++20 -shared -fPIC -I"$sources/apps" -I"$sources/include" -o "$1.so" "$1.cpp"
}
command taken solve
refused "a command called 'solve' is registered already" list --load ./taken.so
command help help
refused "a command called 'help' is registered already" list --load ./help.so
command words "two words"
refused "'two words' cannot be the name of a command" list --load ./words.so
echo "loading works, and what cannot be loaded is refused"
