#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "files/cue.hpp"
#include "files/map_grid.hpp"
#include "files/outcome_reader.hpp"

namespace assay::files {
namespace {

constexpr const char* kTheEnd = "the end";

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

/// Does an outcome lead to the end? Then there is a state for the end, even if no letter is terminal.
bool leads_to_the_end(const toml::node* outcomes) {
  const toml::array* all = outcomes == nullptr ? nullptr : outcomes->as_array();
  if (all == nullptr) return false;
  return std::ranges::any_of(*all, [](const toml::node& each) {
    const toml::table* outcome = each.as_table();
    if (outcome == nullptr) return false;
    if ((*outcome)["next"].value<std::string>() == kTheEnd) return true;
    const toml::table* next = (*outcome)["next"].as_table();
    return (next != nullptr && next->contains(kTheEnd)) || leads_to_the_end(outcome->get("options"));
  });
}

class MapProblem {
 public:
  MapProblem(TableReader& problem, const EpisodeSettings& episode) : problem_(problem), grid_(problem) {
    read_settings();
    end_ = static_cast<int>(grid_.cells().size());
    states_ = grid_.names();
    bool ends = leads_to_the_end(problem.find("outcome"));
    for (int x = 0; x < end_; ++x) ends = ends || grid_.terminal(x);
    if (ends) states_.emplace_back(kTheEnd);
    for (const Direction& d : moves_) actions_.emplace_back(d.name);
    for (const std::string& action : problem_.texts("actions")) actions_.push_back(action);
    check_size(problem_, states_.size(), actions_.size(), grid_.environments().size());
    if (problem_.find("actions") != nullptr) {
      at_place(problem_.where(), *problem_.find("actions"), [&] { TableBuilder(states_, actions_); });
    }
    draft_.emplace(TableBuilder(states_, actions_), episode);
    draft_->entering = entering_;
    draft_->warnings = grid_.warnings();
    put_states();
    draw();
    if (const toml::node* outcomes = problem_.find("outcome"))
      OutcomeReader(scope(), *draft_).read(problem_, *outcomes);
  }

  Draft draft() && { return std::move(*draft_); }

 private:
  /// The value of a key that is one of two words.
  bool chosen(const char* key, const char* usual, const char* other, const char* about) {
    const std::string word = problem_.text(key, usual);
    if (word != usual && word != other) {
      problem_.fail(*problem_.find(key), fmt::format("{} = \"{}\"; {} \"{}\" or \"{}\"", key, printable(word),
                                                     about, usual, other));
    }
    return word == other;
  }

  void read_settings() {
    const bool eight = chosen("moves", "four", "eight", "it is");
    const bool stay = problem_.flag("stay", true);
    for (std::size_t i = stay ? 0 : 1; i < (eight ? 9U : 5U); ++i) moves_.push_back(kDirections[i]);
    bump_ = chosen("walls", "forbid", "stay", "moves into a wall are");
    entering_ = chosen("collect", "arriving", "entering", "what a cell has is had on");
    slip_ = problem_.number("slip", 0, 0, 1);
    if (slip_ > 0 && eight) problem_.fail(*problem_.find("slip"), "slip needs moves = \"four\"");
    step_reward_ = problem_.number("step_reward", 0, -kMostReward, kMostReward);
  }

  void put_states() {
    const auto environments = static_cast<int>(grid_.environments().size());
    for (const NamedEnvironment& e : grid_.environments()) draft_->builder.environment(e.name, e.weight);
    for (int x = 0; x < end_; ++x) {
      const MapLetter& letter = grid_.common_letter(x);
      if (letter.start) draft_->builder.start(x, letter.weight);
      bool ends = true;
      for (int e = 0; e < environments; ++e) {
        put_cell(x, e);
        ends = ends && grid_.letter(x, e) != nullptr && grid_.letter(x, e)->terminal;
      }
      if (ends) draft_->terminals.insert(x);
    }
    if (static_cast<int>(states_.size()) == end_) return;
    draft_->terminals.insert(end_);
    for (int a = 0; a < static_cast<int>(moves_.size()); ++a)
      draft_->builder.outcome(end_, a, {{1, {end_, 0, {}}}});
  }

  void put_cell(int x, int e) {
    const MapLetter* letter = grid_.letter(x, e);
    static const MapLetter walled;  // a state of another environment, which is never reached in this one
    if (letter == nullptr) letter = &walled;
    draft_->builder.outcome(x, kArrive, arrival(x, *letter, e), e);
    const ReadReward& pays = letter->pays;
    if (letter->once) draft_->once[{x, kArrive}].insert(e);
    if (pays.unknown) {
      DrawnReward& drawn = draft_->drawn[{x, kArrive}] = {*pays.unknown, pays.looks};
      drawn.reward.name = states_[static_cast<std::size_t>(x)];
    }
    if (letter->shows_rewards) draft_->looks_at_all[{x, kArrive}] = std::max(pays.looks, 1);
    if (!letter->signs.empty() || letter->shows_rewards) {
      const std::string& name = letter->name;
      draft_->sources[{x, kArrive}] = name.empty() ? std::string("cue ") + grid_.landmark(x) : name;
    }
    for (int a = 0; a < static_cast<int>(moves_.size()); ++a) {
      std::vector<TableBuilder::Possibility> moves =
          leaving(x, moves_[static_cast<std::size_t>(a)], *letter, e);
      if (!moves.empty()) draft_->builder.outcome(x, a, std::move(moves), e);
    }
  }

  [[nodiscard]] std::vector<TableBuilder::Possibility> arrival(int x, const MapLetter& letter, int e) {
    const ReadReward& pays = letter.pays;
    std::vector<TableBuilder::Possibility> paid = {
        {pays.unknown ? 1 : pays.chance, {x, pays.unknown ? 0 : pays.reward, {}}}};
    if (!pays.unknown && pays.chance < 1) paid.push_back({1 - pays.chance, {x, 0, {}}});
    if (letter.signs.empty()) return paid;
    std::vector<std::string> signs;
    for (const auto& [name, sign] : letter.signs) {
      if (std::ranges::find(signs, sign) == signs.end()) signs.push_back(sign);
    }
    const std::string& shown = letter.signs.at(grid_.environments()[static_cast<std::size_t>(e)].name);
    std::vector<TableBuilder::Possibility> all;
    for (const TableBuilder::Possibility& p : paid) {
      for (const std::string& sign : signs) {
        const double chance = sign_chance(letter.accuracy, signs.size(), sign == shown);
        all.push_back({p.probability * chance, {x, p.outcome.reward, {draft_->signs.number(sign)}}});
      }
    }
    return all;
  }

  [[nodiscard]] std::vector<TableBuilder::Possibility> leaving(int x, const Direction& d,
                                                               const MapLetter& letter, int e) const {
    const double reward = step_reward_ + letter.leaving;
    const int straight = target(x, d.row, d.column, e);
    if (straight < 0 && !bump_ && walked_somewhere(x)) return {};
    if (letter.terminal) return {{1, {end_, 0, {}}}};
    if (letter.teleport != 0) return {{1, {teleport_target(letter.teleport, e), reward, {}}}};
    const auto landing = [&](int to) { return to < 0 ? x : to; };
    if (slip_ == 0 || (d.row == 0 && d.column == 0)) return {{1, {landing(straight), reward, {}}}};
    return {{1 - slip_, {landing(straight), reward, {}}},
            {slip_ / 2, {landing(target(x, d.column, d.row, e)), reward, {}}},
            {slip_ / 2, {landing(target(x, -d.column, -d.row, e)), reward, {}}}};
  }

  /// Can the agent move away from this cell in some environment? The allowed actions must not depend on the
  /// environment.
  [[nodiscard]] bool walked_somewhere(int x) const {
    for (int e = 0; e < static_cast<int>(grid_.environments().size()); ++e) {
      const MapLetter* letter = grid_.letter(x, e);
      if (letter == nullptr || (!letter->terminal && letter->teleport == 0)) return true;
    }
    return false;
  }

  /// The cell that a step in a direction leads to: -1 for a wall in all environments.
  [[nodiscard]] int target(int x, int down, int right, int e) const {
    const Cell& from = grid_.cells()[static_cast<std::size_t>(x)];
    const int to = grid_.cell_at(from.row + down, from.column + right);
    if (to < 0) return -1;
    return grid_.letter(to, e) == nullptr ? x : to;  // a wall in this environment only
  }

  [[nodiscard]] int teleport_target(char letter, int e) const {
    const std::vector<int> found = grid_.drawn_with(letter, e);
    const std::string shown = printable(std::string(1, letter));
    if (found.size() > 1)
      throw UsageError(fmt::format("teleport to '{}', which is more than once on the map", shown));
    if (found.empty()) throw UsageError(fmt::format("teleport to '{}', which is not on the map", shown));
    return found.front();
  }

  void draw() {
    std::vector<Cell> cells = grid_.cells();
    std::string landmarks;
    for (int x = 0; x < end_; ++x) landmarks += grid_.landmark(x);
    if (static_cast<int>(states_.size()) > end_) {
      cells.push_back({grid_.rows(), 0});  // below the map
      landmarks += ' ';
    }
    std::string glyphs;
    for (const Direction& d : moves_) glyphs += d.glyph;
    for (std::size_t a = moves_.size(); a < actions_.size(); ++a) glyphs += actions_[a].front();
    draft_->builder.drawing(std::move(cells), landmarks, glyphs);
  }

  [[nodiscard]] OutcomeScope scope() const {
    OutcomeScope scope{states_, actions_, {}, {}, true};
    for (const NamedEnvironment& e : grid_.environments()) scope.environments.push_back(e.name);
    scope.states_called = [this](const std::string& name, int e) { return states_called(name, e); };
    return scope;
  }

  /// "*" names the cells where the episode continues.
  [[nodiscard]] std::vector<int> states_called(const std::string& name, int e) const {
    if (name == kTheEnd) return {end_};
    if (name != "*") return grid_.called(name, e);
    std::vector<int> all;
    for (int x = 0; x < end_; ++x) {
      if (!grid_.terminal(x)) all.push_back(x);
    }
    return all;
  }

  TableReader& problem_;
  MapGrid grid_;
  std::vector<Direction> moves_;
  bool bump_ = false;
  bool entering_ = false;
  double slip_ = 0;
  double step_reward_ = 0;
  int end_ = 0;  // the state after the episode, if there is one
  std::vector<std::string> states_, actions_;
  std::optional<Draft> draft_;
};

}  // namespace

Draft read_map_problem(TableReader& problem, const EpisodeSettings& episode) {
  std::optional<Draft> draft;
  at_place(problem.where(), *problem.find("map"),
           [&] { draft.emplace(MapProblem(problem, episode).draft()); });
  return std::move(*draft);
}

}  // namespace assay::files
