// One tree of BAMCP, which nothing else sees: histories in a flat pool that is reused from search to search.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/solver/bamcp.hpp"
#include "solver/rollout_values.hpp"

namespace assay::detail {

class HistoryTree {
 public:
  struct Node {
    int state = 0;
    std::uint32_t visits = 0;
    std::uint32_t first_edge = 0;   // one for every action that is allowed, in their order
    std::uint32_t parent_edge = 0;  // of the root: none
    std::uint64_t evidence = 0;     // of the step that led here
  };
  struct Edge {
    double total = 0;  // of the returns
    std::uint32_t visits = 0;
    std::uint32_t child = 0;      // the first one; all others are in the table
    std::uint64_t child_key = 0;  // 0 if there is none
  };

  HistoryTree(std::unique_ptr<Simulator> simulator, std::shared_ptr<const AllowedActions> allowed,
              std::shared_ptr<const RolloutValues> rollouts, const BamcpSettings& settings);
  [[nodiscard]] std::unique_ptr<Simulator> simulator() const { return simulator_->clone(); }

  /// Nothing but a root: the world's state and belief.
  void plant(const World& world);
  void simulate(const Rng& rng);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }
  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  struct Passed {
    std::uint32_t node = 0;
    std::uint32_t edge = 0;
    double reward = 0;
  };
  struct Range {
    double low = 0, high = 0;
  };
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t node = 0;
    std::uint32_t search = 0;  // what an older search has left behind is empty
  };

  // Inline: functions that a shared library shows could be replaced from outside, and so are never inlined.
  inline SimulatedStep take(int state, std::uint32_t choice, int depth);
  [[nodiscard]] inline std::uint32_t tree_choice(const Node& node, int depth, Rng& luck) const;
  inline double rollout(int state, int depth, Rng& luck);
  inline void back_up(std::size_t length, double value);

  inline std::uint32_t child(std::uint32_t edge, const SimulatedStep& step);
  std::uint32_t look_up(std::uint64_t key, std::uint32_t edge, const SimulatedStep& step);
  std::uint32_t add_node(std::uint32_t parent_edge, const SimulatedStep& step);
  void grow();

  std::unique_ptr<Simulator> simulator_;
  std::shared_ptr<const AllowedActions> allowed_;
  std::shared_ptr<const RolloutValues> rollouts_;
  BamcpSettings settings_;

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<Slot> slots_;  // open addressing; a power of two of them
  std::uint32_t search_ = 0;
  std::size_t in_slots_ = 0;

  std::vector<Passed> path_;   // [depth], of the simulation under way
  std::vector<Range> ranges_;  // [depth]: of the returns from there on
  int remaining_ = 0;          // steps of the episode
  int depth_ = 0;              // steps that are simulated
  std::uint64_t simulations_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace assay::detail
