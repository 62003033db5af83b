#include "report/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lab/statistics.hpp"
#include "problem/problem_identity.hpp"
#include "report/curves.hpp"
#include "report/players.hpp"
#include "report/shown_runs.hpp"

namespace assay {
namespace {

/// The return of each test environment, over the finished training seeds; empty if none is finished.
std::vector<EpisodeRecord> mean_episodes(const RunStore& store, const ShownMethod& method) {
  std::vector<EpisodeRecord> sum;
  double finished = 0;
  for (const RunStore::Id id : method.runs) {
    if (!store.finished(id)) continue;
    ++finished;
    const std::vector<EpisodeRecord> episodes = store.episodes(id);
    sum.resize(episodes.size());
    for (std::size_t i = 0; i < episodes.size(); ++i) {
      sum[i].undiscounted += episodes[i].undiscounted;
      sum[i].discounted += episodes[i].discounted;
    }
  }
  for (EpisodeRecord& e : sum) {
    e.undiscounted /= finished;
    e.discounted /= finished;
  }
  return sum;
}

ResultCell return_cell(const std::vector<EpisodeRecord>& episodes, double EpisodeRecord::*which) {
  std::vector<double> returns;
  for (const EpisodeRecord& e : episodes) returns.push_back(e.*which);
  const MeanEstimate e = mean_estimate(returns);
  return {e.mean, e.standard_error, static_cast<int>(e.count), {}, 0};
}

/// For runs that belong to no experiment, as made by `compare` and `run`. The measure that the methods
/// maximise comes first.
ResultTable comparison_table(const RunStore& store, const ShownProblem& problem) {
  std::vector<std::vector<EpisodeRecord>> means;
  bool discounts = false;
  for (const ShownMethod& method : problem.methods) {
    means.push_back(mean_episodes(store, method));
    discounts = discounts || std::ranges::any_of(means.back(), [](const EpisodeRecord& e) {
                  return e.discounted != e.undiscounted;
                });
  }
  ResultTable table;
  table.title = problem.title;
  table.note = fmt::format("{} test episodes, the same for all methods{}", problem.episodes,
                           discounts ? "; methods maximise the discounted return" : "");
  if (discounts) table.columns.emplace_back("discounted return");
  table.columns.emplace_back("return");
  table.families.assign(table.columns.size(), problem.family);
  for (std::size_t m = 0; m < means.size(); ++m) {
    ResultRow row{problem.methods[m].label, problem.methods[m].method, {}};
    row.cells.resize(table.columns.size());
    if (!means[m].empty()) {
      if (discounts) row.cells.front() = return_cell(means[m], &EpisodeRecord::discounted);
      row.cells.back() = return_cell(means[m], &EpisodeRecord::undiscounted);
    }
    table.rows.push_back(row);
  }
  return table;
}

std::vector<RunGroup> run_groups(const RunStore& store) {
  std::vector<RunGroup> groups;
  for (const RunStore::Id id : store.runs()) {
    const RunSettings s = store.settings(id);
    auto group = std::ranges::find_if(groups, [&](const RunGroup& g) {
      return same_problem(g.family, s.family) && g.method == s.method && g.episodes == s.episodes &&
             g.test_seed == s.test_seed;
    });
    if (group == groups.end()) {
      groups.push_back({s.family, s.method, {}, s.episodes, s.test_seed, 0});
      group = groups.end() - 1;
    }
    group->seeds.push_back(s.seed);
    if (store.finished(id)) ++group->finished;
  }
  return groups;
}

std::vector<CurveChart> curve_charts(const RunStore& store, const std::vector<ShownProblem>& problems) {
  std::vector<CurveChart> charts;
  for (const ShownProblem& problem : problems) {
    CurveChart chart{problem.title, problem.family, {}};
    for (const ShownMethod& method : problem.methods) {
      CurveSeries series = curve_series(store, method);
      if (!series.epoch.empty()) chart.series.push_back(std::move(series));
    }
    if (!chart.series.empty()) charts.push_back(std::move(chart));
  }
  return charts;
}

void read_findings(const RunStore& store, const std::vector<std::unique_ptr<Experiment>>& experiments,
                   Report& report) {
  for (const std::unique_ptr<Experiment>& experiment : experiments) {
    Findings found = experiment->findings(store);
    for (ResultTable& table : found.tables) report.tables.push_back(std::move(table));
    // The first one is shown: of a quick and a full reproduction in one store, this is the full one.
    if (found.intervals && !report.intervals) report.intervals = std::move(found.intervals);
    if (found.sweep && !report.sweep) report.sweep = std::move(found.sweep);
  }
}

}  // namespace

Report make_report(const RunStore& store, const ReportOptions& options) {
  Report report;
  report.title = store.folder().lexically_normal().filename().string();
  if (report.title.empty()) report.title = store.folder().string();
  std::vector<Stage> stages;
  store.in_one_view([&] {
    report.groups = run_groups(store);
    for (const RunStore::Id id : store.runs()) {
      ++report.runs;
      const RunContext context = store.context(id);
      if (std::ranges::find(report.contexts, context) == report.contexts.end()) {
        report.contexts.push_back(context);
      }
    }
    report.finished = report.runs - store.unfinished();
    KnownExperiments known;
    if (options.known) known = options.known(store);
    report.figures = std::move(known.figures);
    const std::vector<ShownProblem> problems = shown_problems(store, known.experiments);
    read_findings(store, known.experiments, report);
    for (const ShownProblem& problem : problems) {
      if (!problem.known) report.tables.push_back(comparison_table(store, problem));
    }
    report.curves = curve_charts(store, problems);
    if (options.play) stages = set_stages(store, problems, options);
  });
  report.players = play(stages, options.threads);
  return report;
}

}  // namespace assay
