// A traced episode on a terminal: what the agent knows and what it takes that to be worth, as shaded cells.
#pragma once

#include "assay/draw.hpp"
#include "assay/problem/problem.hpp"
#include "report/trace.hpp"

namespace assay::cli {

class EpisodeView {
 public:
  /// `width` columns, 0 for any; shades are colours or, without `colour`, digits. With `tree`, searches are
  /// shown as far as they were traced.
  EpisodeView(const Problem& problem, const Trace& trace, std::size_t width, bool colour, bool tree = false);

  /// What the shades mean, over the whole episode.
  [[nodiscard]] Picture legend() const;
  /// One step: title, grids, what happened. The same number of lines for every step if `framed`.
  [[nodiscard]] Picture step(std::size_t number, bool framed) const;

 private:
  /// One quantity in all states.
  struct Shading {
    std::string title;
    std::vector<double> TraceStep::*values;
    double low = 0, high = 0;
  };

  [[nodiscard]] Picture grids(const TraceStep& step) const;
  [[nodiscard]] std::string cell(const Shading& shading, const TraceStep& step, int state) const;
  [[nodiscard]] std::vector<std::string> sentences(std::size_t number, bool framed) const;

  const Problem& problem_;
  const Trace& trace_;
  std::size_t width_;
  bool colour_;
  bool tree_;
  bool searches_ = false;  // at some step
  std::vector<Shading> shadings_;
};

}  // namespace assay::cli
