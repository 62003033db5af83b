#include "files/problem_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"
#include "core/bytes.hpp"
#include "files/problem_parts.hpp"
#include "files/text_file.hpp"

namespace assay {
namespace files {

std::vector<NamedEnvironment> read_environments(TableReader& problem) {
  const toml::node* node = problem.find("environment");
  if (node == nullptr) return {{"the only one", 1, nullptr}};
  if (!node->is_array_of_tables()) {
    problem.fail(*node, "environments are tables, one after the other: [[environment]]");
  }
  std::vector<NamedEnvironment> all;
  for (const toml::node& each : *node->as_array()) {
    const toml::table& table = *each.as_table();
    TableReader reader(table, problem.where(), "[[environment]]");
    NamedEnvironment environment;
    environment.name = reader.text("name", fmt::format("environment {}", all.size() + 1));
    environment.weight = reader.number("weight", 1, 0, 1e12);
    environment.table = &table;
    all.push_back(environment);
  }
  if (std::ranges::all_of(all, [](const NamedEnvironment& e) { return e.weight == 0; }))
    problem.fail(*node, "every environment has weight 0: one of them must be possible");
  return all;
}

void check_size(const TableReader& problem, std::size_t states, std::size_t actions,
                std::size_t environments) {
  constexpr std::size_t kMost = 50'000'000;
  if (states > kMost || environments > kMost || states * environments > kMost / (actions + 1)) {
    problem.fail(
        problem.table(),
        fmt::format("{} states, {} actions and {} environments are too many: their product is at most {}",
                    states, actions, environments, kMost));
  }
}

namespace {

constexpr std::int64_t kMostSteps = 1'000'000;

/// The number of steps, or kEndless. A problem that is discounted and says nothing has no end.
int read_horizon(TableReader& problem, double discount) {
  const toml::node* horizon = problem.find("horizon");
  if (horizon == nullptr) {
    if (discount == 1) problem.need("horizon", "horizon = 20");
    return kEndless;
  }
  if (!horizon->is_string()) return static_cast<int>(problem.integer("horizon", 1, 1, kMostSteps));
  const std::string word = problem.text("horizon", "");
  if (word != "endless") {
    problem.fail(*horizon, fmt::format("horizon = \"{}\"; it should be a whole number, or \"endless\"",
                                       printable(word)));
  }
  if (discount == 1)
    problem.fail(*horizon, "an endless problem needs a discount below 1; for example discount = 0.95");
  return kEndless;
}

EpisodeSettings read_episode(TableReader& problem) {
  EpisodeSettings episode;
  episode.discount = problem.number("discount", 1, 0, 1);
  const toml::node* episodes = problem.find("episodes");
  if (episodes != nullptr) problem.need("horizon", "horizon = 20");
  episode.horizon = read_horizon(problem, episode.discount);
  const bool endless = episode.horizon == kEndless;
  if (endless && episodes != nullptr)
    problem.fail(*episodes, "several episodes need a horizon, the number of steps of each of them");
  if (!endless)
    episode.episodes = static_cast<int>(problem.integer("episodes", 1, 1, kMostSteps / episode.horizon));
  const toml::node* tolerance = problem.find("tolerance");
  if (tolerance == nullptr) return episode;
  if (!endless) problem.fail(*tolerance, "a tolerance is for endless problems; this one has a horizon");
  episode.tolerance = problem.number("tolerance", kCutTolerance, 1e-12, 0.5);
  return episode;
}

/// A problem has either several environments or unknown rewards, because the solvers know no mixture of
/// both.
void check_one_unknown(TableReader& problem, const Draft& draft) {
  if (draft.drawn.empty() && draft.looks_at_all.empty()) return;
  for (const char* key : {"environment", "environments", "hidden"}) {
    if (const toml::node* node = problem.find(key)) {
      problem.fail(*node, fmt::format("there are unknown rewards and `{}`: what is unknown is either the "
                                      "environment or rewards",
                                      key));
    }
  }
}

/// All keys of a problem: those of a map, those of a table, or both as long as it is undecided which it is.
std::vector<std::string> known_keys(bool drawn, bool written) {
  std::vector<std::string> keys = {"name",        "about",   "horizon", "discount", "episodes", "tolerance",
                                   "environment", "actions", "outcome", "map",      "states"};
  if (drawn || !written) {
    for (const char* key : {"legend", "hidden", "moves", "stay", "walls", "slip", "step_reward", "collect"})
      keys.emplace_back(key);
  }
  if (written || !drawn) {
    for (const char* key : {"environments", "start", "terminal", "outcomes"}) keys.emplace_back(key);
  }
  std::ranges::sort(keys);
  return keys;
}

ProblemFile read_with(std::string_view text, const std::string& where, SideFiles& side_files) {
  const toml::table table = parse_toml(text, where);
  TableReader problem(table, where, "the problem");
  const bool drawn = problem.find("map") != nullptr;
  const bool written = problem.find("states") != nullptr;
  problem.only("key", known_keys(drawn, written));
  const std::string title = problem.text("name", "");
  problem.text("about", "");
  const EpisodeSettings episode = read_episode(problem);
  if (drawn == written) {
    problem.fail(table,
                 drawn ? "there is a map and there are states; a problem is written in one of the two ways"
                       : "there is neither a map nor are there states; draw one or name the others");
  }
  Draft draft = drawn ? read_map_problem(problem, episode) : read_table_problem(problem, episode, side_files);
  check_one_unknown(problem, draft);
  problem.finish();
  std::vector<std::string> warnings = draft.warnings;
  std::optional<WrittenFamily> family;
  at_place(where, *problem.find(drawn ? "map" : "states"),
           [&] { family.emplace(finished(std::move(draft))); });
  return {title, std::move(*family), episode.episodes, std::move(warnings)};
}

}  // namespace
}  // namespace files

ProblemFile read_problem(std::string_view text, const std::string& where) {
  files::SideFiles none("");
  return files::read_with(text, where, none);
}

ProblemFile read_problem_file(const std::string& path) {
  files::SideFiles beside(path);
  return files::read_with(files::read_text_file(path), path, beside);
}

std::unique_ptr<Problem> written_problem(std::string name, WrittenFamily family) {
  if (auto* table = std::get_if<TableFamily>(&family))
    return table_problem(std::move(name), std::move(*table));
  return cell_problem(std::move(name), std::move(std::get<CellFamily>(family)));
}

bool names_problem_file(std::string_view text) {
  const std::string_view path = text.substr(0, text.rfind('#'));
  return path.find('/') != std::string_view::npos || path.ends_with(".toml");
}

std::unique_ptr<Problem> load_problem(const std::string& name) {
  const std::size_t mark = name.rfind('#');
  const std::string path = name.substr(0, mark);
  const std::string text = files::read_text_file(path);
  files::SideFiles beside(path);
  ProblemFile file = files::read_with(text, path, beside);
  const std::string sum = fmt::format("{:08x}", beside.checksum_with(checksum(text)) >> 32U);
  if (mark != std::string::npos && name.substr(mark + 1) != sum) {
    throw UsageError(
        fmt::format("{} has changed: {} was asked for, but it is {} now; undo the change, or leave the "
                    "number behind # out",
                    path, name.substr(mark + 1), sum));
  }
  return written_problem(path + "#" + sum, std::move(file.family));
}

namespace {
[[maybe_unused]] const bool kLoaderIsSet = [] {
  set_problem_loader({names_problem_file, load_problem});
  return true;
}();
}  // namespace

}  // namespace assay
