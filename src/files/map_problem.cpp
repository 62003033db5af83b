#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"
#include "files/problem_parts.hpp"

namespace assay::files {
namespace {

/// What a letter of the map stands for.
struct MapLetter {
  std::string name;
  double reward = 0;  // paid on every arrival, with probability `chance`
  double chance = 1;
  double leaving = 0;  // paid for every action there
  bool start = false;
  double weight = 1;  // of the start
  bool wall = false;
  bool terminal = false;
  char teleport = 0;
  std::map<std::string, std::string> signs;  // environment -> what the cue shows there; empty: no cue
  double accuracy = 1;
};

using MapLegend = std::map<char, MapLetter>;

struct Direction {
  const char* name;
  char glyph;
  int row, column;
};
constexpr std::array<Direction, 9> kDirections = {{{"stay", 'o', 0, 0},
                                                   {"up", '^', -1, 0},
                                                   {"down", 'v', 1, 0},
                                                   {"left", '<', 0, -1},
                                                   {"right", '>', 0, 1},
                                                   {"up-left", '`', -1, -1},
                                                   {"up-right", '/', -1, 1},
                                                   {"down-left", ',', 1, -1},
                                                   {"down-right", '\\', 1, 1}}};

constexpr double kMostReward = 1e9;

/// "shows" is "environment", or a table: environment -> sign.
void read_signs(TableReader& letter, const std::vector<NamedEnvironment>& environments, MapLetter& into) {
  const toml::node* shows = letter.find("shows");
  if (shows == nullptr) return;
  if (shows->is_string()) {
    if (shows->as_string()->get() != "environment") {
      letter.fail(
          *shows,
          fmt::format("{}: shows = \"{}\"; it is \"environment\" or a table such as {{ {} = \"a sign\" }}",
                      letter.what(), printable(shows->as_string()->get()), "left"));
    }
    for (const NamedEnvironment& e : environments) into.signs[e.name] = e.name;
    return;
  }
  if (!shows->is_table())
    letter.fail(*shows, letter.what() + ": shows is \"environment\" or a table of signs");
  TableReader signs(*shows->as_table(), letter.where(), letter.what() + ", shows");
  for (const NamedEnvironment& e : environments) {
    signs.need(e.name, fmt::format("\"{}\" = \"a sign\"", printable(e.name)).c_str());
    into.signs[e.name] = signs.text(e.name, "");
  }
  signs.finish();
}

/// `letter` holds what is said so far; what is not said stays.
void read_letter(TableReader& table, const std::vector<NamedEnvironment>& environments, MapLetter& letter) {
  letter.name = table.text("name", letter.name);
  letter.reward = table.number("reward", letter.reward, -kMostReward, kMostReward);
  letter.chance = table.number("chance", letter.chance, 0, 1);
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
  table.finish();
}

/// The map's lines, and where it stands.
struct DrawnMap {
  std::vector<std::string> rows;
  const toml::node* node = nullptr;

  [[nodiscard]] char at(int row, int column) const {
    if (row < 0 || row >= static_cast<int>(rows.size())) return '#';
    const std::string& line = rows[static_cast<std::size_t>(row)];
    return column < 0 || column >= static_cast<int>(line.size()) ? '#'
                                                                 : line[static_cast<std::size_t>(column)];
  }
};

DrawnMap read_drawing(TableReader& table) {
  DrawnMap map;
  map.node = table.find("map");
  std::string line;
  for (const char c : table.text("map", "") + "\n") {
    if (c != '\n') {
      if (c != '\r') line += c;
      continue;
    }
    map.rows.push_back(std::move(line));
    line.clear();
  }
  while (!map.rows.empty() && map.rows.back().find_first_not_of(' ') == std::string::npos)
    map.rows.pop_back();
  if (map.rows.empty()) table.fail(*map.node, "the map is empty; draw at least one cell");
  return map;
}

/// Everything about the map in one environment.
struct MapEnvironment {
  DrawnMap map;
  MapLegend legend;

  [[nodiscard]] const MapLetter* letter(int row, int column) const {
    const char c = map.at(row, column);
    if (c == '#' || c == ' ') return nullptr;
    const auto found = legend.find(c);
    return found->second.wall ? nullptr : &found->second;
  }
};

class MapProblem {
 public:
  MapProblem(TableReader& problem, const EpisodeSettings& episode) : problem_(problem), episode_(episode) {
    read_settings();
    environments_ = read_environments(problem_);
    read_maps();
    number_cells();
  }

  TableFamily family() {
    check_size(problem_, names_.size(), moves_.size(), environments_.size());
    std::vector<std::string> actions;
    std::string glyphs;
    for (const Direction& d : moves_) {
      actions.emplace_back(d.name);
      glyphs += d.glyph;
    }
    TableBuilder builder(names_, actions);
    builder.horizon(episode_.horizon).discount(episode_.discount);
    for (const NamedEnvironment& e : environments_) builder.environment(e.name, e.weight);
    for (std::size_t x = 0; x < cells_.size(); ++x) {
      const char c = maps_[0].map.at(cells_[x].row, cells_[x].column);
      const auto found = maps_[0].legend.find(c);
      if (found != maps_[0].legend.end() && found->second.start) {
        builder.start(static_cast<int>(x), found->second.weight);
      }
    }
    for (std::size_t e = 0; e < maps_.size(); ++e) {
      for (std::size_t x = 0; x < cells_.size(); ++x)
        put_cell(builder, static_cast<int>(x), static_cast<int>(e));
    }
    add_sources(builder);
    std::vector<Cell> cells = cells_;
    std::string landmarks;
    for (const Cell& c : cells_) landmarks += maps_[0].map.at(c.row, c.column);
    if (ends_) {
      const int end = static_cast<int>(cells_.size());
      for (int a = 0; a < static_cast<int>(moves_.size()); ++a) builder.outcome(end, a, {{1, {end, 0, {}}}});
      cells.push_back({static_cast<int>(maps_[0].map.rows.size()), 0});  // below the map
      landmarks += ' ';
    }
    builder.drawing(cells, landmarks, glyphs);
    return builder.build();
  }

 private:
  void read_settings() {
    const std::string moves = problem_.text("moves", "four");
    if (moves != "four" && moves != "eight") {
      problem_.fail(*problem_.find("moves"),
                    fmt::format("moves = \"{}\"; it is \"four\" or \"eight\"", printable(moves)));
    }
    const bool stay = problem_.flag("stay", true);
    for (std::size_t i = stay ? 0 : 1; i < (moves == "four" ? 5U : 9U); ++i) moves_.push_back(kDirections[i]);
    const std::string walls = problem_.text("walls", "forbid");
    if (walls != "forbid" && walls != "stay") {
      problem_.fail(
          *problem_.find("walls"),
          fmt::format("walls = \"{}\"; moves into a wall are \"forbid\" or \"stay\"", printable(walls)));
    }
    bump_ = walls == "stay";
    slip_ = problem_.number("slip", 0, 0, 1);
    if (slip_ > 0 && moves == "eight") problem_.fail(*problem_.find("slip"), "slip needs moves = \"four\"");
    step_reward_ = problem_.number("step_reward", 0, -kMostReward, kMostReward);
  }

  void read_maps() {
    const DrawnMap common = read_drawing(problem_);
    MapLegend legend;
    if (const toml::node* node = problem_.find("legend")) {
      if (!node->is_table()) problem_.fail(*node, "legend is a table of letters: [legend]");
      read_legend(*node->as_table(), "[legend]", legend);
    }
    for (const NamedEnvironment& e : environments_) {
      MapEnvironment& own = maps_.emplace_back(MapEnvironment{common, legend});
      if (e.table == nullptr) continue;
      TableReader reader(*e.table, problem_.where(), fmt::format("environment '{}'", printable(e.name)));
      reader.find("name");
      reader.find("weight");
      if (reader.find("map") != nullptr) own.map = read_drawing(reader);
      if (const toml::node* node = reader.find("legend")) {
        if (!node->is_table()) reader.fail(*node, "legend is a table of letters");
        read_legend(*node->as_table(), reader.what(), own.legend);
      }
      reader.finish();
      if (own.map.rows.size() != common.rows.size()) {
        reader.fail(*own.map.node,
                    fmt::format("this map has {} lines, the first one {}; maps are of one size",
                                own.map.rows.size(), common.rows.size()));
      }
    }
    for (MapEnvironment& e : maps_) check_letters(e);
  }

  void read_legend(const toml::table& table, const std::string& what, MapLegend& legend) {
    for (const auto& [key, node] : table) {
      if (key.str().size() != 1 || key.str() == "#" || key.str() == " ") {
        fail_at(problem_.where(), key.source(),
                fmt::format("{}: '{}' is no letter; a letter is one character, and not # (wall) or blank",
                            what, printable(key.str())));
      }
      if (!node.is_table()) {
        fail_at(problem_.where(), node.source(),
                fmt::format("{} {}: write {} = {{ reward = 1 }}", what, key.str(), key.str()));
      }
      TableReader letter(*node.as_table(), problem_.where(), fmt::format("{} {}", what, key.str()));
      read_letter(letter, environments_, legend[key.str().front()]);
    }
  }

  void check_letters(MapEnvironment& e) {
    e.legend.try_emplace('.');
    for (std::size_t r = 0; r < e.map.rows.size(); ++r) {
      for (std::size_t c = 0; c < e.map.rows[r].size(); ++c) {
        const char letter = e.map.rows[r][c];
        if (letter == '#' || letter == ' ' || e.legend.contains(letter)) continue;
        problem_.fail(
            *e.map.node,
            fmt::format(
                "the map has a '{}' in its line {}, character {}, which the legend does not explain; add "
                "[legend] {} = {{ }}",
                printable(std::string(1, letter)), r + 1, c + 1, printable(std::string(1, letter))));
      }
    }
  }

  /// A cell is a state if it is free in some environment.
  void number_cells() {
    std::size_t columns = 0;
    for (const MapEnvironment& e : maps_) {
      for (const std::string& row : e.map.rows) columns = std::max(columns, row.size());
    }
    for (int r = 0; r < static_cast<int>(maps_[0].map.rows.size()); ++r) {
      for (int c = 0; c < static_cast<int>(columns); ++c) {
        const MapLetter* free = nullptr;
        for (const MapEnvironment& e : maps_) free = free == nullptr ? e.letter(r, c) : free;
        if (free == nullptr) continue;
        number_[{r, c}] = static_cast<int>(cells_.size());
        cells_.push_back({r, c});
        for (const MapEnvironment& e : maps_)
          ends_ = ends_ || (e.letter(r, c) != nullptr && e.letter(r, c)->terminal);
      }
    }
    std::map<std::string, int> used;
    for (const Cell& cell : cells_) {
      const MapLetter* letter = nullptr;
      for (const MapEnvironment& e : maps_)
        letter = letter == nullptr ? e.letter(cell.row, cell.column) : letter;
      const std::string place = fmt::format("row {} column {}", cell.row, cell.column);
      std::string name = letter->name.empty() ? place : letter->name;
      if (used[name]++ > 0) name += ", " + place;
      names_.push_back(name);
    }
    if (ends_) names_.emplace_back("the end");
  }

  [[nodiscard]] const MapLetter* letter_of(int x, int e) const {
    const Cell& cell = cells_[static_cast<std::size_t>(x)];
    return maps_[static_cast<std::size_t>(e)].letter(cell.row, cell.column);
  }

  /// Where a step in a direction ends: -1 for a wall in all environments.
  [[nodiscard]] int target(int x, const Direction& d, int e) const {
    const Cell& from = cells_[static_cast<std::size_t>(x)];
    const auto found = number_.find({from.row + d.row, from.column + d.column});
    if (found == number_.end()) return -1;
    return letter_of(found->second, e) == nullptr ? x : found->second;  // a wall here, but not everywhere
  }

  void put_cell(TableBuilder& builder, int x, int e) {
    const MapLetter* letter = letter_of(x, e);
    static const MapLetter walled;  // never reached in this environment, but in another
    if (letter == nullptr) letter = &walled;
    builder.outcome(x, kArrive, arrival(x, *letter, e), e);
    for (int a = 0; a < static_cast<int>(moves_.size()); ++a) {
      std::vector<TableBuilder::Possibility> moves =
          leaving(x, moves_[static_cast<std::size_t>(a)], *letter, e);
      if (!moves.empty()) builder.outcome(x, a, std::move(moves), e);
    }
  }

  [[nodiscard]] std::vector<TableBuilder::Possibility> arrival(int x, const MapLetter& letter, int e) const {
    std::vector<TableBuilder::Possibility> paid = {{letter.chance, {x, letter.reward, {}}}};
    if (letter.chance < 1) paid.push_back({1 - letter.chance, {x, 0, {}}});
    if (letter.signs.empty()) return paid;
    std::vector<std::string> signs;
    for (const auto& [name, sign] : letter.signs) {
      if (std::ranges::find(signs, sign) == signs.end()) signs.push_back(sign);
    }
    const std::string& shown = letter.signs.at(environments_[static_cast<std::size_t>(e)].name);
    std::vector<TableBuilder::Possibility> all;
    for (const TableBuilder::Possibility& p : paid) {
      for (std::size_t s = 0; s < signs.size(); ++s) {
        const double others =
            signs.size() > 1 ? (1 - letter.accuracy) / static_cast<double>(signs.size() - 1) : 0;
        const double chance = signs.size() == 1 ? 1 : signs[s] == shown ? letter.accuracy : others;
        all.push_back({p.probability * chance, {x, p.outcome.reward, {static_cast<int>(s)}}});
      }
    }
    return all;
  }

  [[nodiscard]] std::vector<TableBuilder::Possibility> leaving(int x, const Direction& d,
                                                               const MapLetter& letter, int e) const {
    const double reward = step_reward_ + letter.leaving;
    if (letter.terminal) return {{1, {static_cast<int>(cells_.size()), 0, {}}}};
    if (letter.teleport != 0) return {{1, {teleport_target(letter.teleport, e), reward, {}}}};
    const int straight = target(x, d, e);
    if (straight < 0 && !bump_) return {};
    const auto landing = [&](int to) { return to < 0 ? x : to; };
    if (slip_ == 0 || (d.row == 0 && d.column == 0)) return {{1, {landing(straight), reward, {}}}};
    const Direction one{"", ' ', d.column, d.row};
    const Direction other{"", ' ', -d.column, -d.row};
    return {{1 - slip_, {landing(straight), reward, {}}},
            {slip_ / 2, {landing(target(x, one, e)), reward, {}}},
            {slip_ / 2, {landing(target(x, other, e)), reward, {}}}};
  }

  [[nodiscard]] int teleport_target(char letter, int e) const {
    int found = -1;
    for (std::size_t x = 0; x < cells_.size(); ++x) {
      if (maps_[static_cast<std::size_t>(e)].map.at(cells_[x].row, cells_[x].column) != letter) continue;
      if (found >= 0)
        throw UsageError(fmt::format("teleport to '{}', which is more than once on the map", letter));
      found = static_cast<int>(x);
    }
    if (found < 0) throw UsageError(fmt::format("teleport to '{}', which is not on the map", letter));
    return found;
  }

  /// Each letter that shows something.
  void add_sources(TableBuilder& builder) const {
    std::map<char, std::vector<std::pair<int, int>>> cues;
    for (std::size_t x = 0; x < cells_.size(); ++x) {
      const MapLetter* letter = letter_of(static_cast<int>(x), 0);
      if (letter == nullptr || letter->signs.empty()) continue;
      cues[maps_[0].map.at(cells_[x].row, cells_[x].column)].emplace_back(static_cast<int>(x), kArrive);
    }
    for (const auto& [letter, where] : cues) {
      const std::string& name = maps_[0].legend.at(letter).name;
      builder.source(name.empty() ? std::string("cue ") + letter : name, where);
    }
  }

  TableReader& problem_;
  EpisodeSettings episode_;
  std::vector<Direction> moves_;
  bool bump_ = false;
  double slip_ = 0;
  double step_reward_ = 0;
  std::vector<NamedEnvironment> environments_;
  std::vector<MapEnvironment> maps_;  // [environment]
  std::map<std::pair<int, int>, int> number_;
  std::vector<Cell> cells_;  // [state]
  std::vector<std::string> names_;
  bool ends_ = false;  // is there a state after the last?
};

}  // namespace

TableFamily read_map_problem(TableReader& problem, const EpisodeSettings& episode) {
  std::optional<TableFamily> family;
  at_place(problem.where(), *problem.find("map"), [&] { family = MapProblem(problem, episode).family(); });
  return *family;
}

}  // namespace assay::files
