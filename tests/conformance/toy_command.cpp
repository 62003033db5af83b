// A command in one file: this is all it takes.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <string>

#include "assay/command.hpp"
#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"

namespace assay::cli {
namespace {

struct CountCommand {
  std::string family;
  int times = 1;
};

void declare(Options& options, CountCommand& c) {
  add_problem(options, c.family);
  options.number("--times", c.times, 1, 10, "how often to count");
}

void run_count(const CountCommand& command, const Streams& streams) {
  const int states = make_problem(command.family)->states();
  if (states < 2) throw UsageError("there is only one state: name a problem with more");
  for (int i = 0; i < command.times; ++i) fmt::print(streams.out, "{} states\n", states);
}

const RegisterCommand<CountCommand> kRegistered({.name = "count",
                                                 .group = Group::kProblem,
                                                 .rank = 100,
                                                 .summary = "Count the states of a problem.",
                                                 .help = "assay count two_doors --times 2"},
                                                declare, run_count);

}  // namespace
}  // namespace assay::cli
