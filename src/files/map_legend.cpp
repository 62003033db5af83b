#include "files/map_legend.hpp"

#include <fmt/format.h>

#include <set>

#include "assay/core/detail/spec.hpp"
#include "core/utf8.hpp"
#include "files/cue.hpp"
#include "files/map_drawing.hpp"

namespace assay::files {
namespace {

std::vector<std::string> environment_names(const std::vector<NamedEnvironment>& environments) {
  std::vector<std::string> names;
  for (const NamedEnvironment& e : environments) names.push_back(e.name);
  return names;
}

/// "shows" is "environment", "rewards", or a table: environment -> sign.
void read_signs(TableReader& letter, const std::vector<NamedEnvironment>& environments, MapLetter& into) {
  const toml::node* shows = letter.find("shows");
  if (shows == nullptr) return;
  into.shows_rewards = false;
  if (shows->is_string()) {
    into.shows_rewards = shows->as_string()->get() == "rewards";
    if (into.shows_rewards) return;
    if (shows->as_string()->get() != "environment") {
      letter.fail(*shows,
                  fmt::format("{}: shows = \"{}\"; it is \"environment\", \"rewards\" or a table such as "
                              "{{ {} = \"a sign\" }}",
                              letter.what(), printable(shows->as_string()->get()), "left"));
    }
    for (const NamedEnvironment& e : environments) into.signs[e.name] = e.name;
    return;
  }
  if (!shows->is_table())
    letter.fail(*shows, letter.what() + ": shows is \"environment\" or a table of signs");
  TableReader signs(*shows->as_table(), letter.where(), letter.what() + ", shows");
  signs.only("environment", environment_names(environments));
  for (const NamedEnvironment& e : environments) {
    signs.need(e.name, fmt::format("{} = \"a sign\"", written_key(e.name)).c_str());
    into.signs[e.name] = signs.text(e.name, "");
  }
}

/// `letter` holds what was said before; what the table does not mention stays.
void read_letter(TableReader& table, const std::vector<NamedEnvironment>& environments, MapLetter& letter,
                 std::vector<std::string>& warnings) {
  letter.name = table.text("name", letter.name);
  read_reward(table, letter.pays);
  letter.once = table.flag("once", letter.once);
  letter.leaving = table.number("step_reward", letter.leaving, -kMostReward, kMostReward);
  const toml::node* start = table.find("start");
  if (start != nullptr && start->is_number()) {
    letter.weight = table.number("start", 1, 1e-12, 1e12);
    letter.start = true;
  } else {
    letter.start = table.flag("start", letter.start);
  }
  letter.wall = table.flag("wall", letter.wall);
  letter.terminal = table.flag("terminal", letter.terminal);
  const std::string to = table.text("teleport", letter.teleport == 0 ? "" : std::string(1, letter.teleport));
  if (to.size() > 1)
    table.fail(*table.find("teleport"), table.what() + ": teleport names a letter of the map");
  letter.teleport = to.empty() ? '\0' : to.front();
  read_signs(table, environments, letter);
  letter.accuracy = table.number("accuracy", letter.accuracy, 0, 1);
  std::set<std::string> signs;
  for (const auto& [environment, sign] : letter.signs) signs.insert(sign);
  warn_of_accuracy(table, letter.accuracy, signs.size(), warnings);
  if (letter.pays.looks > 0 && !letter.pays.unknown && !letter.shows_rewards) {
    table.fail(table.place("looks"),
               table.what() + ": looks at what? It needs chance = { beta = [1, 1] }, or shows = \"rewards\"");
  }
  table.finish();
}

}  // namespace

void read_legend(const toml::table& table, const std::string& where, const std::string& what,
                 const std::vector<NamedEnvironment>& environments, MapLegend& legend,
                 std::vector<std::string>& warnings) {
  for (const auto& [key, node] : table) {
    const std::string_view given = key.str();
    const std::string name = written_key(given);
    if (given.size() != 1 || is_wall(given.front())) {
      const bool foreign =
          !given.empty() && first_character(given).length == given.size() && given.size() > 1;
      fail_at(where, key.source(),
              fmt::format("{}: {} is no letter; a letter is one {}character, and not # (wall) or blank", what,
                          name, foreign ? "ASCII " : ""));
    }
    if (!node.is_table()) {
      fail_at(where, node.source(), fmt::format("{} {}: write {} = {{ reward = 1 }}", what, name, name));
    }
    TableReader letter(*node.as_table(), where, fmt::format("{} {}", what, name));
    read_letter(letter, environments, legend[given.front()], warnings);
  }
}

}  // namespace assay::files
