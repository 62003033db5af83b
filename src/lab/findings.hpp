// The findings of experiments as data: reports print them, and the page and the figures draw them.
//
// A run that is not finished leaves a gap and is no error.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay {

/// A number that the paper prints, with the number after its +-, whose meaning the paper does not state.
struct PaperResult {
  double mean = 0;
  double printed = 0;
};

struct ResultCell {
  double mean = 0;  // undiscounted return
  double standard_error = 0;
  int count = 0;  // environments
  std::optional<PaperResult> paper;
  /// The standard error of the difference to the paper's mean; 0 if there is none.
  double difference_error = 0;
};

struct ResultRow {
  std::string label, method;
  std::vector<std::optional<ResultCell>> cells;  // [column]; none if not requested or not done
};

/// A table of methods by problems.
struct ResultTable {
  std::string title, note;
  std::vector<std::string> columns;
  std::vector<std::string> families;  // [column]
  std::vector<ResultRow> rows;
  std::string paper = {};  // where in the paper its numbers are, such as "Table 1"
};

struct IntervalRow {
  std::string label, method;
  double middle = 0;  // mean over seeds
  double low = 0, high = 0;
  double worst = 0, best = 0;
  double difference = 0;  // to the method with all its parts, seed by seed
  int seeds = 0;
  int diverged = 0;  // the number of seeds whose training diverged
};

/// A table of variants of a method.
struct IntervalTable {
  std::string title, note;
  std::vector<IntervalRow> rows;  // the variants that are finished
  std::string experiment = {};    // its name
};

struct SweepCell {
  int reached = 0;  // the number of repetitions that end at the exact optimum
  int of = 0;
  double epoch = 0;      // the median epoch from which on they are there; 0 if none is
  double collected = 0;  // return of the policies, as mean over environments and median over repetitions
  double deviation = 0;  // its median absolute deviation
};

struct SweepRow {
  std::string label, family;
  double exact = 0;                             // v*
  double without_source = 0;                    // v* without its source of information; NaN if it has none
  std::vector<std::optional<SweepCell>> cells;  // [method]

  [[nodiscard]] bool source_pays() const { return exact > without_source + 1e-9; }
};

/// Methods on several problems, compared with the exact solution of each.
struct SweepTable {
  std::string title, note;
  std::vector<std::string> methods;  // labels
  std::vector<SweepRow> rows;
  std::string experiment = {};  // its name
};

struct Findings {
  std::vector<ResultTable> tables;
  std::optional<IntervalTable> intervals;
  std::optional<SweepTable> sweep;
};

}  // namespace assay
