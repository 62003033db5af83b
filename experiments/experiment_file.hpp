// What an experiment file says, as plain data. README.md in this folder describes the format for those who
// write one.
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

/// A text of the file, and where it stands, as "FILE:LINE:COLUMN": what is wrong with a name of a problem or
/// a method is found out only when it is made.
struct Placed {
  std::string text, place;
};

/// What {name} stands for in texts and in names of methods.
using Values = std::map<std::string, std::string>;

struct ProblemEntry {
  Placed problem;
  std::string label;  // in tables
  std::string title;  // of its learning curves and episodes; empty: it is in tables only
  Values with;        // {name} in methods
};

struct MethodEntry {
  Placed method;
  std::string label;               // on the page and in figures
  std::string printed;             // in printed tables
  std::vector<PaperResult> paper;  // [problem of each table]; empty if the paper has no numbers of it
};

/// Which return a table is about.
enum class Score { kUndiscounted, kDiscounted };

/// What all kinds have.
struct Common {
  std::string path;  // of the file, which names of problem files are relative to
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

/// Methods by problems, with the paper's numbers beside ours.
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
  int paper_environments = 0;  // that the paper's means are of
  std::vector<MethodEntry> methods;
  std::vector<Table> tables;
  // Both of the first table.
  std::optional<Visits> visits;
  std::optional<Differences> differences;
};

/// Variants of one method on one problem: mean over seeds with an interval.
struct IntervalFile {
  struct Variant {
    std::string label, heading;
    Placed settings;
  };
  /// When a training counts as diverged: a loss that no possible values would give.
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

/// Methods on several problems, against the exact solution of each.
struct SweepFile {
  struct Words {
    std::string problem = "problem";  // what a problem is called
    std::string problems = "name";    // the header of their labels
    std::string source = "source";    // of information, what it is called
  };
  /// Whether an outcome holds: the methods' medians after so many epochs are the ones that are expected.
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

/// What methods that search at every step earn, against simulations per decision.
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
