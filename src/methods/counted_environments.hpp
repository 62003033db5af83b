// Environments as an agent has counted them: how often each action led where and what was paid on average,
// for each of finitely many environments. Nothing else is known of them, so that plans made from the counts
// are learned from experience alone.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "core/bytes.hpp"

namespace assay {

/// What happened in one step of an episode.
struct ExperiencedStep {
  int state = 0;
  int action = 0;
  double arrival = 0;  // the reward of arriving at the state
  double reward = 0;   // of the action
  int next = 0;
};

class CountedEnvironments {
 public:
  CountedEnvironments(const Belief& prior, std::size_t environments);

  void add(std::size_t environment, const ExperiencedStep& step);
  /// An action that was never tried is taken to stay and to pay nothing.
  [[nodiscard]] Mdp table(std::size_t environment) const;
  [[nodiscard]] std::vector<Mdp> tables() const;

  void save(ByteWriter& writer) const;
  /// Throws CorruptError.
  void restore(ByteReader& reader);

 private:
  struct Mean {
    std::uint64_t count = 0;
    double sum = 0;
    [[nodiscard]] double value() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
    void add(double number) {
      ++count;
      sum += number;
    }
  };
  struct Counts {
    std::vector<Mean> arrival;                       // [state]
    std::vector<Mean> reward;                        // [state][action]
    std::vector<std::map<int, std::uint64_t>> next;  // [state][action]
  };

  [[nodiscard]] std::size_t pair(int state, int action) const {
    return static_cast<std::size_t>(state) * static_cast<std::size_t>(actions_) +
           static_cast<std::size_t>(action);
  }

  int states_, actions_;
  double discount_;
  std::vector<bool> allowed_;   // [state][action]
  std::vector<Counts> counts_;  // [environment]
};

}  // namespace assay
