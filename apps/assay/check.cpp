// `assay check`: is a problem file as it should be?
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "assay/cli.hpp"
#include "assay/files/problem_file.hpp"

namespace assay::cli {

void run_check(const CheckCommand& command, const Streams& streams) {
  const ProblemFile file = read_problem_file(command.file);
  const TableFamily& family = file.family;
  fmt::print(streams.out, "{}: {}{} states, {} actions, {} environments, {} steps, discount {}\n",
             command.file, file.title.empty() ? "" : file.title + ": ", family.states(), family.actions(),
             family.prior().size(), family.horizon(), family.discount());
  const std::vector<std::string> warnings = problem_warnings(family);
  for (const std::string& warning : warnings) fmt::print(streams.out, "warning: {}\n", warning);
  if (warnings.empty()) fmt::print(streams.out, "nothing to complain about\n");
}

}  // namespace assay::cli
