// The contents of a run store as plain data: everything that the page and the figures show, computed but not
// drawn.
//
// A store that is half finished gives a report with gaps: cells without a value, and curves that end early.
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

/// One series of a learning curve: what epochs of training earned, over the training seeds.
struct CurveSeries {
  std::string label, method;
  std::string statistic;                          // "median and median absolute deviation of 15 runs"
  int seeds = 0;                                  // the number of runs in it
  int unfinished = 0;                             // how many of them are unfinished
  std::vector<double> epoch;                      // [point], counted from 1
  std::vector<double> middle, low, high;          // [point], of the return
  std::vector<double> loss;                       // [point], the middle of the losses
  std::vector<double> loss_low, loss_high;        // [point]
  std::vector<std::vector<double>> singles;       // [run][point], returns; a run may end early
  std::vector<std::vector<double>> loss_singles;  // [run][point]
};

/// The learning curves of one family.
struct CurveChart {
  std::string title, family;
  std::vector<CurveSeries> series;
};

/// The settings that several runs share, apart from the seed.
struct RunGroup {
  std::string family, method;
  std::vector<std::uint64_t> seeds;
  int episodes = 0;
  std::uint64_t test_seed = 0;
  int finished = 0;
};

/// Episodes of several methods in the same environments with the same random numbers.
struct Player {
  std::string title, family;
  double discount = 1;
  int horizon = 0;
  int rows = 0, columns = 0;
  std::vector<Cell> cells;                 // [state]; row -1: the state is not drawn
  bool graph = false;                      // without a map, cells are nodes and rows count halves
  std::vector<std::pair<int, int>> moves;  // of a graph: from one state to another
  std::string landmarks;                   // [state], one character each
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
  std::vector<RunContext> contexts;  // the different ones, in the order of their first occurrence
  std::vector<FigurePlan> figures;   // that can be drawn, besides one for each comparison
};

/// What is known of the runs of a store in advance.
struct KnownExperiments {
  std::vector<std::unique_ptr<Experiment>> experiments;  // those of which the store has runs
  std::vector<FigurePlan> figures;
};

struct ReportOptions {
  int episodes = 3;                   // to play for the main family; fewer for the others
  std::size_t trace_bytes = 800'000;  // approximate limit of the played episodes, as JSON
  int threads = 0;                    // 0 for all cores; never changes the result
  bool play = true;                   // are episodes shown, too?
  /// Without plans, all runs are shown as comparisons.
  std::function<KnownExperiments(const RunStore&)> known = {};
};

/// All data are of one moment of the store.
Report make_report(const RunStore& store, const ReportOptions& options);

}  // namespace assay
