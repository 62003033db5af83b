// Which episodes of a store are played again, for people to watch.
//
// This is done in two parts: the policies are read from the store in one transaction, and played afterwards,
// so that no writer has to wait.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/shown_runs.hpp"

namespace assay {

/// A trained policy, and what it earned according to the store.
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
  std::vector<int> episodes;  // the episodes that are to be played

  /// The number of test episodes.
  [[nodiscard]] int tested() const { return static_cast<int>(performers.front().episodes.size()); }
  /// The approximate size of an episode as JSON.
  [[nodiscard]] std::size_t bytes_per_episode() const;
};

std::vector<Stage> set_stages(const RunStore& store, const std::vector<ShownProblem>& problems,
                              const ReportOptions& options);

std::vector<Player> play(const std::vector<Stage>& stages, int threads);

}  // namespace assay
