// Problems that people write down: a TOML file as a family. docs/problem-files.md describes the format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/families/builders.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// The family that a file describes: finitely many environments, or unknown rewards.
using WrittenFamily = std::variant<TableFamily, CellFamily>;

/// The contents of a file.
struct ProblemFile {
  std::string title;  // empty if the file has no title
  WrittenFamily family;
  int episodes = 1;  // how often the episode is repeated; the family's horizon covers all of them
  /// What is allowed but hardly meant and can no longer be seen in the family: "WHERE:LINE:COLUMN: text".
  std::vector<std::string> warnings;
};

/// Throws UsageError "WHERE:LINE:COLUMN: what is wrong; what would be right".
ProblemFile read_problem(std::string_view text, const std::string& where);

ProblemFile read_problem_file(const std::string& path);

std::unique_ptr<Problem> written_problem(std::string name, WrittenFamily family);

/// Is this the name of a problem file, and not that of a registered family?
bool names_problem_file(std::string_view text);

/// The problem of a file. Its name is "PATH#CHECKSUM". If it is loaded by that name, a file that has changed
/// since is refused.
std::unique_ptr<Problem> load_problem(const std::string& name);

/// What is allowed but hardly meant: states that cannot be reached, environments that no outcome
/// distinguishes, and information that can never pay.
std::vector<std::string> problem_warnings(const WrittenFamily& family);

}  // namespace assay
