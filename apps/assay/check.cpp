// `assay check`: is a problem file as it should be?
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "assay/cli.hpp"
#include "assay/files/problem_file.hpp"

namespace assay::cli {
namespace {

std::string hidden_part(const TableFamily& family) {
  return fmt::format("{} environments", family.prior().size());
}
std::string hidden_part(const CellFamily& family) {
  return fmt::format("{} unknown rewards", family.unknowns()->size());
}

}  // namespace

void run_check(const CheckCommand& command, const Streams& streams) {
  const ProblemFile file = read_problem_file(command.file);
  std::visit(
      [&](const auto& family) {
        fmt::print(streams.out, "{}: {}{} states, {} actions, {}, {} steps, discount {}\n", command.file,
                   file.title.empty() ? "" : file.title + ": ", family.states(), family.actions(),
                   hidden_part(family), family.horizon(), family.discount());
      },
      file.family);
  if (file.episodes > 1) {
    fmt::print(streams.out,
               "{} episodes: what the last move of one pays and shows is seen, not where it would have led\n",
               file.episodes);
  }
  const std::vector<std::string> warnings = problem_warnings(file.family);
  for (const std::string& warning : warnings) fmt::print(streams.out, "warning: {}\n", warning);
  if (warnings.empty()) fmt::print(streams.out, "nothing to complain about\n");
}

}  // namespace assay::cli
