// Which episodes of a store are played again, for people to watch.
//
// In two halves: policies are read from the store while it stands still, and played afterwards, so that no
// one who writes to it has to wait.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/shown_runs.hpp"

namespace assay {

/// A trained policy, and what the store says that it earned.
struct Performer {
  std::string label, method;
  std::uint64_t seed = 0;
  std::string state;
  std::vector<EpisodeRecord> episodes;
};

struct Stage {
  std::string title, family;
  std::uint64_t test_seed = 0;
  std::shared_ptr<const Problem> problem;
  std::vector<Performer> performers;
  std::vector<int> episodes;  // to be played

  /// Episodes of the test.
  [[nodiscard]] int tested() const { return static_cast<int>(performers.front().episodes.size()); }
  /// About so much JSON.
  [[nodiscard]] std::size_t bytes_per_episode() const;
};

std::vector<Stage> set_stages(const RunStore& store, const std::vector<ShownProblem>& problems,
                              const ReportOptions& options);

std::vector<Player> play(const std::vector<Stage>& stages, int threads);

}  // namespace assay
