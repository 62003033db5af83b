// A traced episode on a terminal: the agent's beliefs and its estimates of values, as shaded cells.
#pragma once

#include "assay/draw.hpp"
#include "assay/problem/problem.hpp"
#include "report/trace.hpp"

namespace assay::cli {

class EpisodeView {
 public:
  /// `width` is the number of columns, 0 for any. Shades are colours or, without `colour`, digits. With
  /// `tree`, searches are shown as far as they were traced.
  EpisodeView(const Problem& problem, const Trace& trace, std::size_t width, bool colour, bool tree = false);

  /// The meaning of the shades over the whole episode.
  [[nodiscard]] Picture legend() const;
  /// One step: title, grids, and what happened. Every step has the same number of lines if `framed`.
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
  bool searches_ = false;  // in any step
  std::vector<Shading> shadings_;
};

}  // namespace assay::cli
