#include "assay/files/problem_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "assay/core/bytes.hpp"
#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"
#include "assay/problem/registry.hpp"
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
    environment.weight = reader.number("weight", 1, 1e-12, 1e12);
    environment.table = &table;
    all.push_back(environment);
  }
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

}  // namespace files

ProblemFile read_problem(std::string_view text, const std::string& where) {
  const toml::table table = files::parse_toml(text, where);
  files::TableReader problem(table, where, "the problem");
  const std::string title = problem.text("name", "");
  problem.text("about", "");
  files::EpisodeSettings episode;
  problem.need("horizon", "horizon = 20");
  episode.horizon = static_cast<int>(problem.integer("horizon", 1, 1, 1'000'000));
  episode.discount = problem.number("discount", 1, 0, 1);
  const bool drawn = problem.find("map") != nullptr;
  const bool written = problem.find("states") != nullptr;
  if (drawn == written) {
    problem.fail(table,
                 drawn ? "there is a map and there are states; a problem is written in one of the two ways"
                       : "there is neither a map nor are there states; draw one or name the others");
  }
  ProblemFile file{
      title, drawn ? files::read_map_problem(problem, episode) : files::read_table_problem(problem, episode)};
  problem.finish();
  return file;
}

ProblemFile read_problem_file(const std::string& path) {
  return read_problem(files::read_text_file(path), path);
}

bool names_problem_file(std::string_view text) {
  const std::string_view path = text.substr(0, text.rfind('#'));
  return path.find('/') != std::string_view::npos || path.ends_with(".toml");
}

std::unique_ptr<Problem> load_problem(const std::string& name) {
  const std::size_t mark = name.rfind('#');
  const std::string path = name.substr(0, mark);
  const std::string text = files::read_text_file(path);
  const std::string sum = fmt::format("{:08x}", checksum(text) >> 32U);
  if (mark != std::string::npos && name.substr(mark + 1) != sum) {
    throw UsageError(
        fmt::format("{} has changed: {} was asked for, but it is {} now; undo the change, or leave the "
                    "number behind # out",
                    path, name.substr(mark + 1), sum));
  }
  ProblemFile file = read_problem(text, path);
  return table_problem(path + "#" + sum, std::move(file.family));
}

std::vector<std::string> problem_warnings(const TableFamily& family) {
  const auto environments = static_cast<int>(family.prior().size());
  std::vector<bool> reached(static_cast<std::size_t>(family.states()));
  std::queue<int> open;
  const auto reach = [&](int x) {
    if (reached[static_cast<std::size_t>(x)]) return;
    reached[static_cast<std::size_t>(x)] = true;
    open.push(x);
  };
  for (const Start& s : family.starts()) reach(s.state);
  while (!open.empty()) {
    const int x = open.front();
    open.pop();
    for (int a = 0; a < family.actions(); ++a) {
      for (int e = 0; e < environments; ++e) {
        for (const TableFamily::Possibility& p : family.row(x, a, e)) reach(p.outcome.next);
      }
    }
  }
  std::vector<std::string> warnings;
  std::vector<std::string> lost;
  for (int x = 0; x < family.states(); ++x) {
    if (!reached[static_cast<std::size_t>(x)]) lost.push_back(family.state_name(x));
  }
  if (!lost.empty()) {
    warnings.push_back(fmt::format("{} of {} states cannot be reached from a start, the first of them '{}'",
                                   lost.size(), family.states(), printable(lost.front())));
  }
  const auto alike = [&](int e, int f) {
    for (int x = 0; x < family.states(); ++x) {
      if (!reached[static_cast<std::size_t>(x)]) continue;
      for (int a = kArrive; a < family.actions(); ++a) {
        const auto one = family.row(x, a, e);
        const auto other = family.row(x, a, f);
        if (one.data() == other.data()) continue;
        const bool same = std::ranges::equal(one, other, [](const auto& p, const auto& q) {
          return p.probability == q.probability && p.outcome == q.outcome;
        });
        if (!same) return false;
      }
    }
    return true;
  };
  constexpr int kMostCompared = 200;
  for (int e = 0; e < std::min(environments, kMostCompared); ++e) {
    for (int f = e + 1; f < std::min(environments, kMostCompared); ++f) {
      if (alike(e, f)) {
        warnings.push_back(fmt::format("environments '{}' and '{}' are the same: nothing can tell them apart",
                                       printable(family.environment_name(e)),
                                       printable(family.environment_name(f))));
      }
    }
  }
  return warnings;
}

namespace {
[[maybe_unused]] const bool kLoaderIsSet = [] {
  set_problem_loader({names_problem_file, load_problem});
  return true;
}();
}  // namespace

}  // namespace assay
