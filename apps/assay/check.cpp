// `assay check`: reads a problem file and reports errors and warnings.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "assay/command.hpp"
#include "assay/json_text.hpp"
#include "files/problem_file.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

struct CheckCommand {
  std::string file;
  bool json = false;
};

void declare(Options& options, CheckCommand& c) {
  options.argument("file", c.file, "a problem file (TOML)");
  add_json(options, c.json);
}

std::string length_text(int horizon) {
  return horizon == kEndless ? "endless" : fmt::format("{} steps", horizon);
}

std::string hidden_part(const TableFamily& family) {
  return fmt::format("{} environments", family.prior().size());
}
std::string hidden_part(const CellFamily& family) {
  return fmt::format("{} unknown rewards", family.unknowns()->size());
}

void put_hidden_part(ordered_json& object, const TableFamily& family) {
  ordered_json all = ordered_json::array();
  for (std::size_t e = 0; e < family.prior().size(); ++e) {
    all.push_back(
        {{"name", family.environment_name(static_cast<int>(e))}, {"probability", family.prior()[e]}});
  }
  object["environments"] = all;
}
void put_hidden_part(ordered_json& object, const CellFamily& family) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < family.unknowns()->size(); ++i)
    all.push_back(family.unknown(static_cast<int>(i)).name);
  object["unknown_rewards"] = all;
}

ordered_json as_json(const std::string& path, const ProblemFile& file,
                     const std::vector<std::string>& warnings) {
  return std::visit(
      [&](const auto& family) {
        ordered_json states = ordered_json::array();
        ordered_json actions = ordered_json::array();
        for (int x = 0; x < family.states(); ++x) states.push_back(family.state_name(x));
        for (int a = 0; a < family.actions(); ++a) actions.push_back(family.action_name(a));
        ordered_json object = {{"file", path},
                               {"name", file.title},
                               {"states", states},
                               {"actions", actions},
                               {"horizon", family.horizon() == kEndless ? ordered_json("endless")
                                                                        : ordered_json(family.horizon())},
                               {"discount", family.discount()},
                               {"episodes", file.episodes}};
        put_hidden_part(object, family);
        object["warnings"] = warnings;
        return object;
      },
      file.family);
}

void run_check(const CheckCommand& command, const Streams& streams) {
  const ProblemFile file = read_problem_file(command.file);
  std::vector<std::string> warnings = file.warnings;
  for (std::string& warning : problem_warnings(file.family)) warnings.push_back(std::move(warning));
  if (command.json) return print_json(streams, as_json(command.file, file, warnings));
  std::visit(
      [&](const auto& family) {
        fmt::print(streams.out, "{}: {}{} states, {} actions, {}, {}, discount {}\n", command.file,
                   file.title.empty() ? "" : file.title + ": ", family.states(), family.actions(),
                   hidden_part(family), length_text(family.horizon()), family.discount());
      },
      file.family);
  if (file.episodes > 1) {
    fmt::print(streams.out,
               "{} episodes: the last action of an episode shows its reward and its observation, but no next "
               "state\n",
               file.episodes);
  }
  for (const std::string& warning : warnings) fmt::print(streams.out, "warning: {}\n", warning);
  if (warnings.empty()) fmt::print(streams.out, "no warnings\n");
}

const RegisterCommand<CheckCommand> kRegistered(
    {.name = "check",
     .group = Group::kProblem,
     .rank = 2,
     .summary = "Read a problem file and report errors, and warn of what is probably not meant.",
     .help =
         "assay check examples/problems/t_maze.toml\n\n"
         "Errors name the line and the column and say what would be right. There are warnings about states "
         "that cannot be reached, environments that no outcome distinguishes, letters that are not drawn, "
         "and cues that are right no more often than a guess.\n\n"
         "--json prints one object with file, name, states and actions (their names), horizon, discount, "
         "episodes, environments (each with name and probability) or unknown_rewards (their names), and "
         "warnings."},
    declare, run_check);

}  // namespace
}  // namespace assay::cli
