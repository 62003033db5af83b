// Reads the four kinds of experiments from their tables.
#include <fmt/format.h>

#include <algorithm>

#include "assay/core/detail/spec.hpp"
#include "experiments/reader_parts.hpp"

namespace assay::experiments {
namespace {

constexpr int kMostEpisodes = 100'000'000;
constexpr int kMostEpochs = 1'000'000'000;

std::vector<std::string> labels_of(const std::vector<MethodEntry>& methods) {
  std::vector<std::string> labels;
  for (const MethodEntry& method : methods) labels.push_back(method.label);
  return labels;
}

/// The methods with these labels.
std::vector<std::size_t> read_labels(TableReader& reader, const char* key,
                                     const std::vector<std::string>& labels) {
  std::vector<std::size_t> chosen;
  each_of(reader, key,
          [&](const toml::node& node) { chosen.push_back(position(reader, node, "label", labels)); });
  return chosen;
}

/// A method with numbers of a paper must have one for each problem.
void check_paper(TableReader& reader, const TableFile& file, const TableFile::Table& table) {
  for (const std::size_t m : table.methods) {
    const MethodEntry& method = file.methods[m];
    if (method.paper.empty() || method.paper.size() == table.problems.size()) continue;
    reader.fail(reader.place("problems"),
                fmt::format("{}: there are {} problems, but {} numbers of the paper for '{}'", reader.what(),
                            table.problems.size(), method.paper.size(), printable(method.label)));
  }
}

TableFile::Table read_result_table(TableReader& reader, const Common& common, const TableFile& file) {
  TableFile::Table table;
  table.title = reader.text("title", common.title);
  table.heading = reader.text("heading", reader.table().contains("title") ? table.title : "");
  table.note =
      template_text(reader, "note", "", common.values, {"seeds", "episodes", "score", "paper_environments"});
  table.problems = read_problem_entries(reader);
  for (ProblemEntry& problem : table.problems) {
    if (problem.title.empty()) problem.title = problem.label;
  }
  table.methods = read_labels(reader, "methods", labels_of(file.methods));
  for (std::size_t m = 0; m < file.methods.size() && !reader.table().contains("methods"); ++m)
    table.methods.push_back(m);
  check_paper(reader, file, table);
  return table;
}

}  // namespace

TableFile read_table_file(TableReader& reader, const Common& common) {
  TableFile file;
  file.score = read_score(reader);
  inner_table(reader, "paper", [&](TableReader& paper) {
    file.paper_source = need_text(paper, "source", "source = \"Table 1\"").text;
    paper.need("environments", "environments = 200");
    file.paper_environments = static_cast<int>(paper.integer("environments", 1, 1, kMostEpisodes));
  });
  file.methods = read_method_entries(reader);
  for (const MethodEntry& method : file.methods) {
    if (!method.paper.empty() && file.paper_environments == 0) {
      reader.fail(reader.place("methods"),
                  "there are numbers of a paper, but no [paper] that says where they stand");
    }
  }
  each_table(reader, "tables",
             [&](TableReader& table) { file.tables.push_back(read_result_table(table, common, file)); });
  if (file.tables.empty()) {
    // A single table needs no name: its problems are in the experiment itself.
    TableFile::Table& table = file.tables.emplace_back();
    table.title = common.title;
    table.note = common.note;
    table.problems = read_problem_entries(reader);
    for (ProblemEntry& problem : table.problems) {
      if (problem.title.empty()) problem.title = problem.label;
    }
    for (std::size_t m = 0; m < file.methods.size(); ++m) table.methods.push_back(m);
    check_paper(reader, file, table);
  }
  inner_table(reader, "visits", [&](TableReader& table) {
    TableFile::Visits visits;
    visits.state = need_text(table, "state", "state = \"4\"");
    visits.episodes = static_cast<int>(table.integer("episodes", 1000, 1, kMostEpisodes));
    visits.heading = template_text(
        table, "heading",
        "Visits: share of {episodes} of these environments, and the mean step of the first visit",
        common.values, {"episodes"});
    file.visits = visits;
  });
  inner_table(reader, "differences", [&](TableReader& table) {
    TableFile::Differences differences;
    table.need("of", "of = [\"pcr\"]");
    differences.of = read_labels(table, "of", labels_of(file.methods));
    for (const std::size_t m : differences.of) {
      const TableFile::Table& first = file.tables.front();
      if (std::ranges::find(first.methods, m) == first.methods.end()) {
        table.fail(table.place("of"), fmt::format("[differences]: '{}' is not in the first table",
                                                  printable(file.methods[m].label)));
      }
    }
    differences.heading =
        template_text(table, "heading", "Paired differences, {method} minus the method, with 95 % intervals",
                      common.values, {"method"});
    file.differences = differences;
  });
  return file;
}

IntervalFile read_interval_file(TableReader& reader, const Common& common) {
  IntervalFile file;
  file.problem = need_text(reader, "problem", "problem = \"t_maze\"");
  file.method = need_text(reader, "method", "method = \"pcr\"");
  file.column = reader.text("column", "variant of " + file.method.text);
  reader.need("variants", "variants = [{ label = \"as it is\" }]");
  for (const char* key : {"variants", "groups"}) {
    auto& to = key == std::string_view("groups") ? file.groups : file.variants;
    each_table(reader, key, [&](TableReader& table) {
      IntervalFile::Variant one;
      one.label = need_text(table, "label", "label = \"as it is\"").text;
      if (&to == &file.groups) one.heading = table.text("heading", one.label);
      one.settings = placed_text(table, "settings");
      files::at_place(table.where(), table.place("settings"),
                      [&] { (void)filled(one.settings.text, common.values); });
      to.push_back(one);
    });
  }
  if (file.groups.empty()) file.groups.emplace_back();
  inner_table(reader, "divergence", [&](TableReader& table) {
    IntervalFile::Divergence divergence;
    divergence.largest_reward = table.number("largest_reward", 1, 1e-9, 1e9);
    divergence.episodes = static_cast<int>(table.integer("episodes", 1, 1, kMostEpisodes));
    file.divergence = divergence;
  });
  return file;
}

namespace {

SweepFile::Map::Expected read_expected(TableReader& above, const toml::node& node,
                                       const SweepFile::Map& map) {
  SweepFile::Map::Expected expected;
  TableReader reader(*node.as_table(), above.where(), "a problem");
  expected.problem.problem = need_text(reader, "problem", "problem = \"t_maze\"");
  expected.problem.label = reader.text("label", expected.problem.problem.text);
  expected.problem.with = read_values(reader, "with");
  reader.need("outcome", "outcome = { td = 0 }");
  inner_table(reader, "outcome", [&](TableReader& outcome) {
    for (const SweepFile::Map::Named& method : map.methods) {
      outcome.need(method.name, "td = 0");
      expected.outcome.push_back(outcome.number(method.name, 0, -1e12, 1e12));
    }
  });
  for (const std::string& name : map.shown) {
    if (!expected.problem.with.contains(name)) {
      reader.fail(node,
                  fmt::format("the problem has no value '{}', which is to be shown; write it under with",
                              printable(name)));
    }
  }
  reader.finish();
  return expected;
}

SweepFile::Map read_map(TableReader& reader, const Common& common) {
  SweepFile::Map map;
  map.about = template_text(reader, "about", "", common.values, {"seeds", "episodes"});
  reader.need("epochs", "epochs = [100, 200]");
  map.epochs = whole_numbers(reader, "epochs", 1, kMostEpochs);
  map.shown = reader.texts("shown");
  reader.need("methods", "methods = [{ name = \"td\", method = \"tabular_td\" }]");
  each_table(reader, "methods", [&](TableReader& table) {
    map.methods.push_back({need_text(table, "name", "name = \"td\"").text,
                           need_text(table, "method", "method = \"tabular_td\"")});
  });
  std::vector<std::string> names;
  std::string cell;
  for (const SweepFile::Map::Named& method : map.methods) {
    names.push_back(method.name);
    cell += (cell.empty() ? "{" : " | {") + method.name + "}";
  }
  map.cell = template_text(reader, "cell", cell, {}, names);
  reader.need("problems", "problems = [{ problem = \"t_maze\", outcome = { td = 0 } }]");
  each_of(reader, "problems", [&](const toml::node& node) {
    if (!node.is_table()) reader.fail(node, "[map]: a problem should be a table with problem and outcome");
    map.problems.push_back(read_expected(reader, node, map));
  });
  return map;
}

}  // namespace

SweepFile read_sweep_file(TableReader& reader, const Common& common) {
  SweepFile file;
  inner_table(reader, "words", [&](TableReader& words) {
    file.words.problem = words.text("problem", file.words.problem);
    file.words.problems = words.text("problems", file.words.problems);
    file.words.source = words.text("source", file.words.source);
  });
  file.methods = read_method_entries(reader);
  file.problems = read_problem_entries(reader);
  inner_table(reader, "curves", [&](TableReader& curves) {
    curves.need("epochs", "epochs = [100, 200]");
    file.curve_epochs = whole_numbers(curves, "epochs", 1, kMostEpochs);
  });
  file.compared_note = template_text(reader, "compared_note", "", common.values, {"seeds", "episodes"});
  inner_table(reader, "map", [&](TableReader& map) { file.map = read_map(map, common); });
  return file;
}

SimulationFile read_simulation_file(TableReader& reader) {
  constexpr int kMostSimulations = 100'000'000;
  SimulationFile file;
  reader.need("searches", "searches = [\"pcr_search\"]");
  file.searches = placed_texts(reader, "searches");
  file.references = placed_texts(reader, "references");
  file.ceiling = placed_text(reader, "ceiling");
  reader.need("problems", "problems = [{ problem = \"t_maze\", simulations = { pcr_search = [10] } }]");
  each_table(reader, "problems", [&](TableReader& table) {
    SimulationFile::Planned planned;
    planned.problem = need_text(table, "problem", "problem = \"t_maze\"");
    planned.test_episodes = static_cast<int>(table.integer("test_episodes", 2000, 2, kMostEpisodes));
    planned.score = read_score(table);
    planned.simulations.resize(file.searches.size());
    inner_table(table, "simulations", [&](TableReader& simulations) {
      for (std::size_t s = 0; s < file.searches.size(); ++s) {
        planned.simulations[s] =
            whole_numbers(simulations, file.searches[s].text.c_str(), 1, kMostSimulations);
      }
    });
    planned.learned = placed_texts(table, "learned");
    file.problems.push_back(planned);
  });
  return file;
}

}  // namespace assay::experiments
