#!/usr/bin/env bash
# An optional member of a model that is misspelt, or not listed, does not compile, and the compiler names it.
# usage: members.sh COMPILER INCLUDE_FOLDER
set -euo pipefail
compiler=$1
include=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# model LIST MEMBER: a model of two states with this list of members and this member.
model() {
  cat > "$folder/model.cpp" <<CODE
#include <assay/core/detail/model_check.hpp>
struct Coin {
  using Hidden = int;
  static constexpr assay::Members kMembers = {$1};
  int states() const { return 2; }
  int actions() const { return 1; }
  int horizon() const { return 1; }
  double discount() const { return 1; }
  std::vector<assay::Start> starts() const { return {{0, 1.0}}; }
  template <class Visit>
  void outcomes(int x, int, int, Visit&& visit) const { visit(1.0, assay::Outcome{x, 0, {}}); }
  $2
};
static_assert(assay::detail::kMembersChecked<Coin>);
CODE
  "$compiler" -std=c++20 -fsyntax-only -I "$include" "$folder/model.cpp" > "$folder/said" 2>&1
}
fails_with() {
  if model "$1" "$2"; then echo "this compiles: list {$1}, member $2"; exit 1; fi
  grep -q "$3" "$folder/said" || { echo "the compiler does not say '$3':"; cat "$folder/said"; exit 1; }
}
name='std::string state_name(int) const { return "heads"; }'

model '' '' || { cat "$folder/said"; exit 1; }
model 'assay::Member::kStateName' "$name" || { cat "$folder/said"; exit 1; }
fails_with 'assay::Member::kStateName' "${name/state_name/stat_name}" 'is it misspelt'
fails_with 'assay::Member::kStateName' "${name/int/int, int}" 'kStateName'
fails_with '' "$name" 'it must list it in kMembers'
echo "5 models compiled or refused as they should be"
