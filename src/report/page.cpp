#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "report/page_template.hpp"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no word for NaN, which becomes null.
Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// Only the digits that a drawing needs, because most of the page is numbers that are drawn.
Json drawn_json(double value, int digits) {
  if (!std::isfinite(value)) return {};
  const double rounded = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
  const auto whole = static_cast<std::int64_t>(rounded);
  return static_cast<double>(whole) == rounded ? Json(whole) : Json(rounded);
}

Json drawn_json(const std::vector<double>& values, int digits) {
  Json all = Json::array();
  for (const double v : values) all.push_back(drawn_json(v, digits));
  return all;
}

/// JavaScript would round numbers above 2^53.
Json seed_json(std::uint64_t seed) { return seed >> 53U == 0 ? Json(seed) : Json(fmt::format("{}", seed)); }

Json table_json(const ResultTable& table) {
  Json rows = Json::array();
  for (const ResultRow& row : table.rows) {
    Json cells = Json::array();
    for (const std::optional<ResultCell>& cell : row.cells) {
      if (!cell) {
        cells.push_back(nullptr);
        continue;
      }
      Json paper;
      if (cell->paper) paper = {{"mean", cell->paper->mean}, {"printed", cell->paper->printed}};
      cells.push_back({{"mean", number_json(cell->mean)},
                       {"se", number_json(cell->standard_error)},
                       {"count", cell->count},
                       {"paper", paper},
                       {"difference_error", cell->paper ? number_json(cell->difference_error) : Json()}});
    }
    rows.push_back({{"label", row.label}, {"method", row.method}, {"cells", cells}});
  }
  return {{"title", table.title},
          {"note", table.note},
          {"columns", table.columns},
          {"families", table.families},
          {"paper", table.paper.empty() ? Json() : Json(table.paper)},
          {"rows", rows}};
}

Json chart_json(const CurveChart& chart) {
  constexpr int kDigits = 4;
  Json all = Json::array();
  for (const CurveSeries& s : chart.series) {
    Json singles = Json::array();
    for (const std::vector<double>& one : s.loss_singles) singles.push_back(drawn_json(one, kDigits));
    all.push_back({{"label", s.label},
                   {"method", s.method},
                   {"statistic", s.statistic},
                   {"seeds", s.seeds},
                   {"unfinished", s.unfinished},
                   {"epoch", drawn_json(s.epoch, 9)},
                   {"middle", drawn_json(s.middle, kDigits)},
                   {"low", drawn_json(s.low, kDigits)},
                   {"high", drawn_json(s.high, kDigits)},
                   {"loss", drawn_json(s.loss, kDigits)},
                   {"loss_singles", singles}});
  }
  return {{"title", chart.title}, {"family", chart.family}, {"series", all}};
}

Json interval_json(const IntervalTable& table) {
  Json rows = Json::array();
  for (const IntervalRow& r : table.rows) {
    rows.push_back({{"label", r.label},
                    {"method", r.method},
                    {"middle", number_json(r.middle)},
                    {"low", number_json(r.low)},
                    {"high", number_json(r.high)},
                    {"worst", number_json(r.worst)},
                    {"best", number_json(r.best)},
                    {"difference", number_json(r.difference)},
                    {"seeds", r.seeds},
                    {"diverged", r.diverged}});
  }
  return {{"title", table.title}, {"note", table.note}, {"rows", rows}};
}

Json sweep_json(const SweepTable& table) {
  Json rows = Json::array();
  for (const SweepRow& r : table.rows) {
    Json cells = Json::array();
    for (const std::optional<SweepCell>& cell : r.cells) {
      cells.push_back(!cell ? Json()
                            : Json{{"reached", cell->reached},
                                   {"of", cell->of},
                                   {"collected", number_json(cell->collected)},
                                   {"deviation", number_json(cell->deviation)},
                                   {"epoch", cell->reached > 0 ? Json(cell->epoch) : Json()}});
    }
    rows.push_back({{"label", r.label},
                    {"family", r.family},
                    {"exact", r.exact},
                    {"without_cue", number_json(r.without_source)},
                    {"pays", r.source_pays()},
                    {"cells", cells}});
  }
  return {{"title", table.title}, {"note", table.note}, {"methods", table.methods}, {"rows", rows}};
}

/// Unknown and empty values are left out, because a tree has hundreds of them.
void set_drawn(Json& object, const char* name, double value) {
  constexpr int kDigits = 4;
  if (std::isfinite(value)) object[name] = drawn_json(value, kDigits);
}

Json viewed_json(const ViewedAction& action);

Json viewed_json(const ViewedSuccessor& successor) {
  Json json = {{"probability", drawn_json(successor.probability, 3)}, {"state", successor.state}};
  const double reward = successor.acted.reward + successor.arrived.reward;
  if (reward != 0) json["reward"] = drawn_json(reward, 4);
  if (!successor.seen.empty()) json["seen"] = successor.seen;
  // Only what it searched most: further down there is too much to read.
  constexpr std::size_t kMostActions = 4;
  std::vector<const ViewedAction*> visited;
  for (const ViewedAction& one : successor.actions) {
    if (one.visits > 0) visited.push_back(&one);
  }
  std::ranges::stable_sort(visited, std::ranges::greater{}, &ViewedAction::visits);
  if (visited.size() > kMostActions) visited.resize(kMostActions);
  for (const ViewedAction* one : visited) json["actions"].push_back(viewed_json(*one));
  return json;
}

Json viewed_json(const ViewedAction& action) {
  Json json = {{"action", action.action}, {"visits", action.visits}};
  set_drawn(json, "value", action.value);
  set_drawn(json, "lower", action.lower);
  set_drawn(json, "upper", action.upper);
  for (const ViewedSuccessor& one : action.successors) json["ends"].push_back(viewed_json(one));
  if (action.more_successors > 0) json["more"] = action.more_successors;
  return json;
}

Json search_json(const SearchView& view) {
  Json json = {{"simulations", view.simulations}, {"timed", view.timed}, {"certain", view.certain}};
  if (view.playouts > 0) json["playouts"] = view.playouts;
  set_drawn(json, "lower", view.lower);
  set_drawn(json, "upper", view.upper);
  if (view.upper_error > 0) set_drawn(json, "upper_error", view.upper_error);
  json["actions"] = Json::array();
  for (const ViewedAction& one : view.actions) json["actions"].push_back(viewed_json(one));
  return json;
}

Json step_json(const TraceStep& s) {
  constexpr int kDigits = 3;
  constexpr int kAtDigits = 5;
  Json step = {{"state", s.state},
               {"action", s.action},
               {"reward", number_json(s.reward)},
               {"seen", s.seen},
               {"belief", s.belief},
               {"cashed", drawn_json(s.cashed, kAtDigits)},
               {"mean", drawn_json(s.mean, kDigits)},
               {"spread", drawn_json(s.spread, kDigits)},
               {"current", drawn_json(s.current, kDigits)},
               {"bound", drawn_json(s.bound, kDigits)},
               {"future", drawn_json(s.future, kDigits)},
               {"total", drawn_json(s.total, kDigits)},
               {"at",
                {{"current", drawn_json(s.at.current, kAtDigits)},
                 {"bound", drawn_json(s.at.bound, kAtDigits)},
                 {"future", drawn_json(s.at.future, kAtDigits)},
                 {"total", drawn_json(s.at.total, kAtDigits)}}}};
  if (!s.why.empty()) step["why"] = s.why;
  if (!s.search.empty()) step["search"] = search_json(s.search);
  return step;
}

Json player_json(const Player& player) {
  Json cells = Json::array();
  for (const Cell& c : player.cells) cells.push_back(c.row < 0 ? Json() : Json{c.row, c.column});
  Json episodes = Json::array();
  for (const PlayedEpisode& e : player.episodes) {
    Json traces = Json::array();
    for (const Trace& t : e.traces) {
      Json steps = Json::array();
      for (const TraceStep& s : t.steps) steps.push_back(step_json(s));
      traces.push_back({{"label", t.label},
                        {"method", t.method},
                        {"seed", seed_json(t.seed)},
                        {"return", number_json(t.undiscounted)},
                        {"discounted", number_json(t.discounted)},
                        {"mean_plan", t.mean_plan},
                        {"steps", steps}});
    }
    episodes.push_back({{"episode", e.episode},
                        {"test_seed", seed_json(e.test_seed)},
                        {"truth", drawn_json(e.truth, 3)},
                        {"traces", traces}});
  }
  return {{"title", player.title},
          {"family", player.family},
          {"discount", player.discount},
          {"horizon", player.horizon},
          {"rows", player.rows},
          {"columns", player.columns},
          {"cells", cells},
          {"landmarks", player.landmarks},
          {"states", player.states},
          {"actions", player.actions},
          {"moves", player.graph ? Json(player.moves) : Json()},
          {"episodes", episodes}};
}

Json group_json(const RunGroup& group) {
  Json seeds = Json::array();
  for (const std::uint64_t seed : group.seeds) seeds.push_back(seed_json(seed));
  return {{"family", group.family},
          {"method", group.method},
          {"seeds", seeds},
          {"episodes", group.episodes},
          {"test_seed", seed_json(group.test_seed)},
          {"finished", group.finished}};
}

template <class Items, class Describe>
Json array_json(const Items& items, const Describe& describe) {
  Json all = Json::array();
  for (const auto& item : items) all.push_back(describe(item));
  return all;
}

}  // namespace

std::string report_json(const Report& report, const PageInfo& info) {
  const Json contexts = array_json(report.contexts, [](const RunContext& c) {
    return Json{{"version", c.version},
                {"commit", c.commit},
                {"machine", c.machine},
                {"kernel", c.kernel},
                {"signature", c.signature}};
  });
  const Json all = {{"schema", 1},
                    {"title", report.title},
                    {"live", info.live},
                    {"runs", report.runs},
                    {"finished", report.finished},
                    {"tables", array_json(report.tables, table_json)},
                    {"curves", array_json(report.curves, chart_json)},
                    {"ablation", report.intervals ? interval_json(*report.intervals) : Json()},
                    {"sweep", report.sweep ? sweep_json(*report.sweep) : Json()},
                    {"players", array_json(report.players, player_json)},
                    {"groups", array_json(report.groups, group_json)},
                    {"contexts", contexts},
                    {"version", info.version},
                    {"signature", info.signature},
                    {"command", info.command}};
  // Texts may hold any bytes; bytes that are not UTF-8 are replaced by U+FFFD.
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string report_page(const std::string& json) {
  constexpr std::string_view kMark = "<!--REPORT-DATA-->";
  const std::string_view page = page_template();
  const std::size_t at = page.find(kMark);
  if (at == std::string_view::npos) throw Error("the page's template has no place for the data");
  std::string out(page.substr(0, at));
  out += "<script type=\"application/json\" id=\"report-data\">";
  // A text must not be able to end the element or begin another one: \u003c is the same character to JSON.
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  out += "</script>";
  out += page.substr(at + kMark.size());
  return out;
}

}  // namespace assay
