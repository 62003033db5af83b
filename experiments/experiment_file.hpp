// The contents of an experiment file as plain data. README.md in this folder describes the format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lab/experiment.hpp"
#include "report/figure_plan.hpp"

namespace assay::experiments {

/// A text of the file and its place, "FILE:LINE:COLUMN". An error in the name of a problem or a method is
/// found only when that is made, and is then reported with the place.
struct Placed {
  std::string text, place;
};

/// What {name} stands for in texts and in names of methods.
using Values = std::map<std::string, std::string>;

struct ProblemEntry {
  Placed problem;
  std::string label;  // in tables
  std::string title;  // of its learning curves and episodes; empty: only in tables
  Values with;        // {name} in methods
};

struct MethodEntry {
  Placed method;
  std::string label;               // on the page and in figures
  std::string printed;             // in printed tables
  std::vector<PaperResult> paper;  // [problem of each table]; empty if the paper has no numbers
};

/// Which return a table shows.
enum class Score { kUndiscounted, kDiscounted };

/// The keys of all kinds of experiments.
struct Common {
  std::string path;  // of the file; problem files are looked for relative to it
  std::string name;
  std::string heading, about;  // the first lines of the report
  std::string title, note;     // of the table on the page
  int seeds = 1;               // trainings of each method that learns, with the seeds 1, 2, ...
  int test_episodes = 2000;
  std::uint64_t test_seed = 1;
  CurveStatistic statistic = CurveStatistic::kMean;
  Values values;
  Placed training;  // settings that are added to each method that learns
};

/// A table of methods by problems, with the paper's numbers beside ours.
struct TableFile {
  struct Table {
    std::string title, heading, note;
    std::vector<ProblemEntry> problems;
    std::vector<std::size_t> methods;  // indices
  };
  struct Visits {
    Placed state;
    int episodes = 1000;
    std::string heading;
  };
  struct Differences {
    std::vector<std::size_t> of;  // methods
    std::string heading;
  };
  Score score = Score::kUndiscounted;
  std::string paper_source;    // "Table 1"
  int paper_environments = 0;  // the number of environments of the paper's means
  std::vector<MethodEntry> methods;
  std::vector<Table> tables;
  // Both belong to the first table.
  std::optional<Visits> visits;
  std::optional<Differences> differences;
};

/// Variants of one method on one problem: the mean over seeds with an interval.
struct IntervalFile {
  struct Variant {
    std::string label, heading;
    Placed settings;
  };
  /// When a training counts as diverged: its loss is larger than any possible values allow.
  struct Divergence {
    double largest_reward = 1;
    int episodes = 1;  // in an epoch
  };
  Placed problem, method;
  std::string column;  // the header of the variants
  std::vector<Variant> variants;
  std::vector<Variant> groups;  // each of them has all variants
  std::optional<Divergence> divergence;
};

/// Methods on several problems, compared with the exact solution of each.
struct SweepFile {
  struct Words {
    std::string problem = "problem";  // the word for a problem
    std::string problems = "name";    // the header of their labels
    std::string source = "source";    // the word for the source of information
  };
  /// An outcome that is tested: after a number of epochs, the methods' medians equal the expected ones.
  struct Map {
    struct Expected {
      ProblemEntry problem;
      std::vector<double> outcome;  // [method]
    };
    struct Named {
      std::string name;
      Placed method;
    };
    std::string about, cell;
    std::vector<int> epochs;
    std::vector<std::string> shown;  // values of the problems
    std::vector<Named> methods;
    std::vector<Expected> problems;
  };
  Words words;
  std::vector<MethodEntry> methods;
  std::vector<ProblemEntry> problems;
  std::vector<int> curve_epochs;
  std::string compared_note;
  std::optional<Map> map;
};

/// What methods that search at every step earn, as a function of the simulations per decision.
struct SimulationFile {
  struct Planned {
    Placed problem;
    int test_episodes = 2000;
    Score score = Score::kUndiscounted;
    std::vector<std::vector<int>> simulations;  // [search]
    std::vector<Placed> learned;
  };
  std::vector<Placed> searches, references;
  Placed ceiling;  // its text is empty if there is none
  std::vector<Planned> problems;
};

struct ExperimentFile {
  Common common;
  std::variant<TableFile, IntervalFile, SweepFile, SimulationFile> kind;
  std::vector<FigurePlan> figures;
  bool has_quick = false;  // a variant under [quick]
};

}  // namespace assay::experiments
