// Problem files as texts.
#pragma once

#include <string>

#include "assay/solver/exact_solution.hpp"
#include "files/problem_file.hpp"
#include "source_dir.hpp"
#include "support/complaint.hpp"

namespace assay::test {

inline std::string example_problem(const std::string& name) {
  return std::string(ASSAY_SOURCE_DIR) + "/examples/problems/" + name + ".toml";
}

inline const std::string kSmallTable = R"(
horizon = 3
states = ["a", "b"]
actions = ["go", "wait"]
start = "a"
[[environment]]
name = "one"
[[environment]]
name = "two"
weight = 3
[[outcome]]
state = "*"
action = "wait"
[[outcome]]
state = "a"
action = "go"
next = { a = 0.5, b = 0.5 }
shows = { x = 0.75, y = 0.25 }
[[outcome]]
state = "b"
action = "go"
reward = 2
)";

inline WrittenFamily family_of(const std::string& text) { return read_problem(text, "f").family; }
inline TableFamily table_of(const std::string& text) { return std::get<TableFamily>(family_of(text)); }
inline CellFamily cells_of(const std::string& text) { return std::get<CellFamily>(family_of(text)); }

inline double solved(WrittenFamily family) {
  return written_problem("test", std::move(family))->exact({})->value();
}
inline double value_of(const std::string& text) { return solved(family_of(text)); }

/// What is said of a text that cannot be read.
inline std::string fault_of(const std::string& text) {
  return complaint([&] { read_problem(text, "f"); });
}

/// The text with the first `from` replaced.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("no '" + from + "' in the text");
  return text.replace(at, from.size(), to);
}

inline std::string warnings_of(const WrittenFamily& family) {
  std::string all;
  for (const std::string& warning : problem_warnings(family)) all += warning + "\n";
  return all;
}

/// The number of the state of that name.
template <class F>
int state_called(const F& family, const std::string& name) {
  for (int x = 0; x < family.states(); ++x) {
    if (family.state_name(x) == name) return x;
  }
  throw std::logic_error("no state '" + name + "'");
}

}  // namespace assay::test
