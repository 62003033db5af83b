// random: takes any allowed action with the same probability. No other method should earn less.
#include "assay/core/rng.hpp"
#include "assay/problem/registry.hpp"

namespace assay {
namespace {

struct RandomSettings {};

class RandomPolicy final : public Policy {
 public:
  int act(const Situation& situation, Rng& rng) override {
    std::vector<int> possible;
    for (int a = 0; a < situation.actions(); ++a) {
      if (situation.allowed(a)) possible.push_back(a);
    }
    return possible[uniform_index(rng, possible.size())];
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<RandomPolicy>(); }
};

class RandomMethod final : public Method {
 public:
  explicit RandomMethod(const RandomSettings& /*settings*/) {}
  std::vector<Need> needs() const override { return {}; }
  std::unique_ptr<Policy> policy(const Problem& /*problem*/, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<RandomPolicy>();
  }
};

const RegisterMethod<RandomMethod, RandomSettings> kRegistered(
    "random", "takes any allowed action with the same probability", Schema<RandomSettings>({}));

}  // namespace
}  // namespace assay
