// What a run store says, as plain data: all that the page and the figures show, computed, none of it drawn.
//
// A store that is half finished gives a report with holes: cells without a value, curves that end early.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/model.hpp"
#include "lab/experiment.hpp"
#include "report/figure_plan.hpp"
#include "report/trace.hpp"

namespace assay {

/// One series of a learning curve: what an epoch of training earned, over the training seeds.
struct CurveSeries {
  std::string label, method;
  std::string statistic;                          // "median and median absolute deviation of 15 runs"
  int seeds = 0;                                  // runs that it is made of
  int unfinished = 0;                             // of them
  std::vector<double> epoch;                      // [point], counted from 1
  std::vector<double> middle, low, high;          // [point], of the return
  std::vector<double> loss;                       // [point], the middle
  std::vector<double> loss_low, loss_high;        // [point]
  std::vector<std::vector<double>> singles;       // [run][point], the returns; a run may end early
  std::vector<std::vector<double>> loss_singles;  // [run][point]
};

/// The learning curves of one family.
struct CurveChart {
  std::string title, family;
  std::vector<CurveSeries> series;
};

/// The settings that several runs share but for the seed.
struct RunGroup {
  std::string family, method;
  std::vector<std::uint64_t> seeds;
  int episodes = 0;
  std::uint64_t test_seed = 0;
  int finished = 0;
};

/// Episodes of several methods in the same environments with the same luck.
struct Player {
  std::string title, family;
  double discount = 1;
  int horizon = 0;
  int rows = 0, columns = 0;
  std::vector<Cell> cells;                 // [state]; row -1: it is not drawn
  bool graph = false;                      // there is no map: cells are nodes, their rows count halves
  std::vector<std::pair<int, int>> moves;  // of a graph: from a state to another
  std::string landmarks;                   // [state], a character each
  std::vector<std::string> states;         // [state], names
  std::vector<std::string> actions;        // [action], names
  std::vector<PlayedEpisode> episodes;
};

struct Report {
  std::string title;  // the folder's name
  int runs = 0;
  int finished = 0;
  std::vector<ResultTable> tables;
  std::vector<CurveChart> curves;
  std::optional<IntervalTable> intervals;
  std::optional<SweepTable> sweep;
  std::vector<Player> players;
  std::vector<RunGroup> groups;
  std::vector<RunContext> contexts;  // different ones, as they were met first
  std::vector<FigurePlan> figures;   // to be drawn of it, besides a figure for each comparison
};

/// What is known of the runs of a store beforehand.
struct KnownExperiments {
  std::vector<std::unique_ptr<Experiment>> experiments;  // that the store has runs of
  std::vector<FigurePlan> figures;
};

struct ReportOptions {
  int episodes = 3;                   // to play for the main family; fewer of the others
  std::size_t trace_bytes = 800'000;  // about how large the played episodes may get, as JSON
  int threads = 0;                    // 0 for all cores; never changes the result
  bool play = true;                   // episodes too
  /// Without it, all runs are shown as comparisons.
  std::function<KnownExperiments(const RunStore&)> known = {};
};

/// All of it is of one moment of the store.
Report make_report(const RunStore& store, const ReportOptions& options);

}  // namespace assay
