#include "experiments/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "experiments/reader_parts.hpp"

namespace assay::experiments {

std::string filled(std::string_view text, const Values& values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) throw UsageError("a { without its }");
    const std::string name(text.substr(open + 1, close - open - 1));
    const auto found = values.find(name);
    if (found == values.end()) {
      std::vector<std::string> known;
      for (const auto& [key, value] : values) known.push_back(key);
      if (known.empty())
        throw UsageError(fmt::format("nothing says what {{{}}} stands for", printable(name)));
      throw UsageError(files::unknown_among("value", name, known));
    }
    out += found->second;
    text.remove_prefix(close + 1);
  }
  return out;
}

Placed placed_text(TableReader& reader, const char* key) {
  const toml::node* node = reader.find(key);
  if (node == nullptr) return {};
  return {reader.text(key, ""), files::placed(reader.where(), node->source(), "")};
}

Placed need_text(TableReader& reader, const char* key, const char* example) {
  const toml::node& node = reader.need(key, example);
  const Placed text = placed_text(reader, key);
  if (text.text.empty())
    reader.fail(node, fmt::format("{}: {} is empty; for example {}", reader.what(), key, example));
  return text;
}

std::string template_text(TableReader& reader, const char* key, const std::string& otherwise,
                          const Values& values, const std::vector<std::string>& more) {
  const std::string text = reader.text(key, otherwise);
  Values known = values;
  for (const std::string& name : more) known[name];
  files::at_place(reader.where(), reader.place(key), [&] { (void)filled(text, known); });
  return text;
}

void each_of(TableReader& reader, const char* key, const std::function<void(const toml::node&)>& read) {
  const toml::node* node = reader.find(key);
  if (node == nullptr) return;
  if (!node->is_array())
    reader.fail(*node, fmt::format("{}: {} is no array; it should be one, in []", reader.what(), key));
  if (node->as_array()->empty()) {
    reader.fail(*node, fmt::format("{}: {} is empty; it should hold one or more", reader.what(), key));
  }
  for (const toml::node& each : *node->as_array()) read(each);
}

void each_table(TableReader& reader, const char* key, const std::function<void(TableReader&)>& read) {
  each_of(reader, key, [&](const toml::node& node) {
    if (!node.is_table()) {
      reader.fail(node, fmt::format("{}: {} should hold tables, {{ key = value, ... }} or [[{}]]",
                                    reader.what(), key, key));
    }
    TableReader inner(*node.as_table(), reader.where(), fmt::format("[[{}]]", key));
    read(inner);
    inner.finish();
  });
}

void inner_table(TableReader& reader, const char* key, const std::function<void(TableReader&)>& read) {
  const toml::node* node = reader.find(key);
  if (node == nullptr) return;
  if (!node->is_table())
    reader.fail(*node, fmt::format("{}: {} should be a table, [{}]", reader.what(), key, key));
  TableReader inner(*node->as_table(), reader.where(), fmt::format("[{}]", key));
  read(inner);
  inner.finish();
}

std::vector<int> whole_numbers(TableReader& reader, const char* key, int low, int high) {
  std::vector<int> all;
  each_of(reader, key, [&](const toml::node& node) {
    const std::int64_t value = node.is_integer() ? node.as_integer()->get() : low - 1LL;
    if (value < low || value > high) {
      reader.fail(
          node, fmt::format("{}: {} should hold whole numbers from {} to {}", reader.what(), key, low, high));
    }
    all.push_back(static_cast<int>(value));
  });
  return all;
}

std::vector<Placed> placed_texts(TableReader& reader, const char* key) {
  std::vector<Placed> all;
  each_of(reader, key, [&](const toml::node& node) {
    if (!node.is_string() || node.as_string()->get().empty()) {
      reader.fail(node, fmt::format("{}: {} should hold texts in quotes", reader.what(), key));
    }
    all.push_back({node.as_string()->get(), files::placed(reader.where(), node.source(), "")});
  });
  return all;
}

std::size_t position(const TableReader& reader, const toml::node& node, std::string_view kind,
                     const std::vector<std::string>& names) {
  const std::string given = node.is_string() ? node.as_string()->get() : "";
  if (!node.is_string())
    reader.fail(node, fmt::format("{}: a {} should be a text in quotes", reader.what(), kind));
  const auto found = std::ranges::find(names, given);
  if (found == names.end()) reader.fail(node, files::unknown_among(kind, given, names));
  return static_cast<std::size_t>(found - names.begin());
}

std::size_t choice(TableReader& reader, const char* key, const std::vector<std::string>& names,
                   std::size_t otherwise) {
  const toml::node* node = reader.find(key);
  return node == nullptr ? otherwise : position(reader, *node, key, names);
}

Values read_values(TableReader& reader, const char* key) {
  Values values;
  const toml::node* node = reader.find(key);
  if (node == nullptr) return values;
  if (!node->is_table()) reader.fail(*node, fmt::format("{}: {} should be a table", reader.what(), key));
  TableReader inner(*node->as_table(), reader.where(), key);
  for (const auto& [name, value] : *node->as_table()) {
    std::string& text = values[std::string(name.str())];
    if (value.is_string()) {
      text = inner.text(name.str(), "");
    } else if (value.is_integer()) {
      text = fmt::format("{}", value.as_integer()->get());
    } else if (value.is_floating_point()) {
      text = fmt::format("{}", value.as_floating_point()->get());
    } else {
      reader.fail(value, fmt::format("{}: {} should be a text or a number", key, printable(name.str())));
    }
  }
  return values;
}

Score read_score(TableReader& reader) {
  return static_cast<Score>(choice(reader, "score", {"undiscounted", "discounted"}, 0));
}

ProblemEntry read_problem_entry(const TableReader& above, const toml::node& node) {
  ProblemEntry entry;
  if (node.is_string()) {
    entry.problem = {node.as_string()->get(), files::placed(above.where(), node.source(), "")};
    entry.label = entry.problem.text;
    return entry;
  }
  if (!node.is_table()) {
    above.fail(
        node, fmt::format("{}: a problem should be a text, or a table with problem and label", above.what()));
  }
  TableReader reader(*node.as_table(), above.where(), "a problem");
  entry.problem = need_text(reader, "problem", "problem = \"t_maze\"");
  entry.label = reader.text("label", entry.problem.text);
  entry.title = reader.text("title", "");
  entry.with = read_values(reader, "with");
  reader.finish();
  return entry;
}

std::vector<ProblemEntry> read_problem_entries(TableReader& reader) {
  reader.need("problems", "problems = [\"t_maze\"]");
  std::vector<ProblemEntry> all;
  each_of(reader, "problems",
          [&](const toml::node& node) { all.push_back(read_problem_entry(reader, node)); });
  return all;
}

namespace {

std::vector<PaperResult> read_paper(TableReader& reader) {
  std::vector<PaperResult> all;
  each_of(reader, "paper", [&](const toml::node& node) {
    const toml::array* pair = node.as_array();
    const auto number = [&](std::size_t i) { return pair->get(i)->value<double>(); };
    if (pair == nullptr || pair->size() != 2 || !number(0) || !number(1)) {
      reader.fail(node, fmt::format("{}: paper should hold pairs of numbers, a mean and what is printed "
                                    "behind its +-, such as [10.78, 0.24]",
                                    reader.what()));
    }
    all.push_back({*number(0), *number(1)});
  });
  return all;
}

MethodEntry read_method_entry(const TableReader& above, const toml::node& node) {
  MethodEntry entry;
  if (node.is_string()) {
    entry.method = {node.as_string()->get(), files::placed(above.where(), node.source(), "")};
    entry.label = entry.printed = entry.method.text;
    return entry;
  }
  if (!node.is_table()) {
    above.fail(node,
               fmt::format("{}: a method should be a text, or a table with method and label", above.what()));
  }
  TableReader reader(*node.as_table(), above.where(), "a method");
  entry.method = need_text(reader, "method", "method = \"pcr\"");
  entry.label = reader.text("label", entry.method.text);
  entry.printed = reader.text("printed", entry.label);
  entry.paper = read_paper(reader);
  reader.finish();
  return entry;
}

}  // namespace

std::vector<MethodEntry> read_method_entries(TableReader& reader) {
  reader.need("methods", "methods = [\"pcr\", \"td\"]");
  std::vector<MethodEntry> all;
  each_of(reader, "methods", [&](const toml::node& node) {
    MethodEntry entry = read_method_entry(reader, node);
    if (std::ranges::find(all, entry.label, &MethodEntry::label) != all.end()) {
      reader.fail(node,
                  fmt::format("{}: two methods have the label '{}'", reader.what(), printable(entry.label)));
    }
    all.push_back(std::move(entry));
  });
  return all;
}

namespace {

Common read_common(TableReader& reader, const Effort& effort, int least_seeds) {
  constexpr int kMostSeeds = 1000;
  Common common;
  common.path = reader.where();
  common.name = reader.text("name", std::filesystem::path(common.path).stem().string());
  if (common.name.empty()) reader.fail(reader.place("name"), "the experiment's name is empty");
  common.title = reader.text("title", common.name);
  common.heading = reader.text("heading", common.title);
  const auto most_seed = std::numeric_limits<std::int64_t>::max();
  common.seeds = static_cast<int>(reader.integer("seeds", least_seeds, least_seeds, kMostSeeds));
  if (!reader.flag("fixed_seeds", false)) common.seeds = std::max(common.seeds, effort.seeds);
  common.test_episodes = static_cast<int>(reader.integer("test_episodes", 2000, 2, 100'000'000));
  common.test_seed = static_cast<std::uint64_t>(reader.integer("test_seed", 1, 0, most_seed));
  common.statistic = choice(reader, "statistic", {"mean", "median"}, 0) == 1 ? CurveStatistic::kMedian
                                                                             : CurveStatistic::kMean;
  common.values = read_values(reader, "values");
  common.training = placed_text(reader, "training");
  files::at_place(reader.where(), reader.place("training"),
                  [&] { (void)filled(common.training.text, common.values); });
  return common;
}

/// The text above the tables, and the note on the page.
void read_words(TableReader& reader, std::size_t kind, Common& common) {
  constexpr std::array<const char*, 4> kAbout = {
      "Mean {score} return of {episodes} test episodes, the same for all methods, +- its standard error.\n",
      "{problem}, {seeds} training seeds, {episodes} test episodes each, the same for all. Mean over seeds "
      "with "
      "Student's 95 % interval, worst and best seed, and the difference to the first row, seed by seed.\n",
      "Collected: undiscounted return, mean of {episodes} test episodes; median over {seeds} trainings "
      "(median "
      "absolute deviation). Reached: trainings that end with the exact value.\n",
      "Mean return of test episodes that are the same for all methods, with 95 % intervals; differences are "
      "paired by episode.\n"};
  std::vector<std::string> known = {"seeds", "episodes"};
  if (kind == 0) known.insert(known.end(), {"score", "paper_environments"});
  if (kind == 1) known.insert(known.end(), {"problem", "limit"});
  common.about = template_text(reader, "about", kAbout.at(kind), common.values, known);
  const char* const note = kind == 0 ? "{episodes} test episodes, the same for all methods" : "";
  common.note = template_text(reader, "note", note, common.values, known);
}

ExperimentFile read_table(const toml::table& table, const std::string& where, const Effort& effort) {
  const std::vector<std::string> kinds = {"table", "intervals", "sweep", "simulations"};
  TableReader reader(table, where, "the experiment");
  const std::size_t kind = position(reader, reader.need("kind", "kind = \"table\""), "kind", kinds);
  ExperimentFile file;
  // One training gives no interval.
  file.common = read_common(reader, effort, kind == 1 ? 2 : 1);
  read_words(reader, kind, file.common);
  switch (kind) {
    case 0:
      file.kind = read_table_file(reader, file.common);
      break;
    case 1:
      file.kind = read_interval_file(reader, file.common);
      break;
    case 2:
      file.kind = read_sweep_file(reader, file.common);
      break;
    default:
      file.kind = read_simulation_file(reader);
      break;
  }
  file.figures = read_figures(reader, file.common);
  reader.finish({"quick"});
  return file;
}

/// Tables are replaced key by key, everything else as a whole.
void replace(toml::table& base, toml::table& with) {
  for (auto&& [key, node] : with) {
    toml::table* const inner = base[key].as_table();
    if (inner != nullptr && node.is_table()) {
      replace(*inner, *node.as_table());
    } else {
      // The node is moved, because a copy does not know its place in the file.
      node.visit([&base, &name = key](auto& value) { base.insert_or_assign(name, std::move(value)); });
    }
  }
}

}  // namespace

ExperimentFile read_experiment(std::string_view text, const std::string& where, const Effort& effort) {
  toml::table table = files::parse_toml(text, where);
  const toml::node* const node = table.get("quick");
  const bool has_quick = node != nullptr;
  if (has_quick && !node->is_table())
    files::fail_at(where, node->source(), "quick should be a table, [quick]");
  if (effort.quick && !has_quick)
    throw UsageError(fmt::format("{} says nothing under [quick]; run it without --quick", where));
  if (has_quick) {
    toml::table changes = std::move(*table["quick"].as_table());
    table.erase("quick");
    if (effort.quick) replace(table, changes);
  }
  ExperimentFile file = read_table(table, where, effort);
  file.has_quick = has_quick;
  return file;
}

}  // namespace assay::experiments
