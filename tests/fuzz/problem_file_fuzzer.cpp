// Any bytes as a problem file: a sound family or a complaint with its place, never anything else.
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "assay/core/error.hpp"
#include "family_checks.hpp"
#include "files/problem_file.hpp"
#include "files/problem_text.hpp"

namespace {

using assay::CellFamily;
using assay::TableFamily;
using assay::fuzz::need;

/// Is a value of at least a hundred written somewhere? It could be a number of states, and an input is to
/// take milliseconds.
bool has_large_integer(std::string_view text) {
  for (std::size_t at = text.find('='); at != std::string_view::npos; at = text.find('=', at + 1)) {
    const std::size_t begin = text.find_first_not_of(" \t+", at + 1);
    if (begin == std::string_view::npos || std::isdigit(static_cast<unsigned char>(text[begin])) == 0)
      continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789_abcdefABCDEFxo", begin), text.size());
    const bool is_float = end < text.size() && text[end] == '.';
    if (!is_float && end - begin > 2) return true;
  }
  return false;
}

/// Rewards and sizes that a problem file can hold and that take no time.
bool can_be_written(const TableFamily& family) {
  constexpr double kMostReward = 1e9;
  if (assay::fuzz::rows(family) > 2000) return false;
  bool fits = true;
  assay::fuzz::for_each_row(family, [&](int, int, int, const auto& row) {
    for (const TableFamily::Possibility& p : row) fits = fits && std::abs(p.outcome.reward) <= kMostReward;
  });
  return fits;
}

void check_written(const TableFamily& family) {
  std::string text;
  try {
    text = assay::problem_text(family, "fuzzed");
  } catch (const assay::UsageError& error) {
    need(std::string_view(error.what()).find("cannot") != std::string_view::npos, error.what());
    return;
  }
  try {
    const assay::ProblemFile again = assay::read_problem(text, "written");
    need(assay::fuzz::alike(family, std::get<TableFamily>(again.family)), "it is written as another problem");
  } catch (const assay::UsageError& error) {
    need(false, error.what());
  }
}

void check_cells(const CellFamily& family) {
  for (int x = 0; x < family.states(); ++x) {
    for (int a = assay::kArrive; a < family.actions(); ++a) {
      assay::fuzz::check_row(family.states(), x, a, family.possibilities(x, a));
      for (const auto& pull : family.pulls(x, a)) {
        need(pull.cell >= 0 && pull.cell < static_cast<int>(family.unknowns()->size()), "no such reward");
      }
    }
  }
}

void check(const assay::ProblemFile& file) {
  constexpr std::size_t kFew = 50'000;
  if (const auto* table = std::get_if<TableFamily>(&file.family)) {
    if (assay::fuzz::rows(*table) > kFew) return;
    assay::fuzz::check_family(*table);
    if (can_be_written(*table)) check_written(*table);
  } else {
    check_cells(std::get<CellFamily>(file.family));
  }
  assay::problem_warnings(file.family);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (has_large_integer(text)) return -1;  // not worth keeping
  try {
    check(assay::read_problem(text, "f"));
  } catch (const assay::UsageError& error) {
    need(std::string_view(error.what()).starts_with("f:"), error.what());
  }
  return 0;
}
