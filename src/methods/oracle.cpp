// oracle: sees the true environment and earns the full-information value, which no agent can exceed.
#include <algorithm>
#include <optional>

#include "assay/core/belief.hpp"
#include "assay/problem/registry.hpp"
#include "solver/long_plan.hpp"

namespace assay {
namespace {

bool same_mdp(const Mdp& one, const Mdp& other) {
  const auto same_arc = [](const Mdp::Arc& l, const Mdp::Arc& r) {
    return l.next == r.next && l.probability == r.probability;
  };
  return one.reward == other.reward && one.first_arc == other.first_arc &&
         std::ranges::equal(one.arcs, other.arcs, same_arc);
}

class OraclePolicy final : public Oracle {
 public:
  void reveal(const Situation& situation, Environment& truth) override {
    Mdp mdp = truth.tabulate();
    // The plan of a benchmark with one true environment is made once.
    if (!plan_ || !same_mdp(plan_->mdp(), mdp)) plan_.emplace(std::move(mdp), situation.outline().horizon);
  }
  int act(const Situation& situation, Rng& /*rng*/) override {
    return plan_->best(situation.state(), situation.remaining());
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<OraclePolicy>(); }

 private:
  std::optional<LongPlan> plan_;
};

struct OracleSettings {};

class OracleMethod final : public Method {
 public:
  explicit OracleMethod(const OracleSettings& /*settings*/) {}
  std::vector<Need> needs() const override { return {Need::kStillHidden}; }
  std::unique_ptr<Policy> policy(const Problem& /*problem*/, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<OraclePolicy>();
  }
};

const RegisterMethod<OracleMethod, OracleSettings> kRegistered(
    "oracle", "sees the true environment: full information, which no agent can exceed",
    Schema<OracleSettings>({}));

}  // namespace
}  // namespace assay
