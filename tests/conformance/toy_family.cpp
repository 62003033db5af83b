// Two doors, a prize behind one of them. Listening tells the side, rightly with probability `accuracy`, and
// costs; opening a door ends it: 1 for the prize, -1 for the other. A whole family in one file: this is all
// it takes.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/problem/register_family.hpp"

namespace assay {
namespace {

struct TwoDoorsSettings {
  int horizon = 4;
  double accuracy = 0.8;
  double cost = 0.01;
};

class TwoDoors {
 public:
  using Hidden = int;  // 0: prize on the left, 1: on the right
  static constexpr Members kMembers = {Member::kAllowed, Member::kSources, Member::kStateName,
                                       Member::kActionName};
  enum State { kOutside, kInside };
  enum Action { kListen, kOpenLeft, kOpenRight };

  explicit TwoDoors(const TwoDoorsSettings& settings) : settings_(settings) {}

  int states() const { return 2; }
  int actions() const { return 3; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return 1; }
  std::vector<Start> starts() const { return {{kOutside, 1.0}}; }
  std::vector<double> prior() const { return {0.5, 0.5}; }
  /// Inside, only silence is left.
  bool allowed(int x, int a) const { return x == kOutside || a == kListen; }

  template <class Visit>
  void outcomes(int x, int a, int side, Visit&& visit) const {
    if (a == kArrive || x == kInside) return visit(1.0, Outcome{x, 0, {}});
    if (a == kListen) {
      visit(settings_.accuracy, Outcome{x, -settings_.cost, {side}});
      visit(1 - settings_.accuracy, Outcome{x, -settings_.cost, {1 - side}});
    } else {
      visit(1.0, Outcome{kInside, a == kOpenLeft + side ? 1.0 : -1.0, {}});
    }
  }

  /// The same doors, too thick to hear anything through.
  std::vector<std::pair<std::string, TwoDoors>> sources() const {
    return {{"sound", TwoDoors({settings_.horizon, 0.5, settings_.cost})}};
  }

  std::string state_name(int x) const { return x == kOutside ? "outside" : "inside"; }
  std::string action_name(int a) const {
    return std::array{"listen", "open left", "open right"}[static_cast<std::size_t>(a)];
  }

 private:
  TwoDoorsSettings settings_;
};

const RegisterFamily<TwoDoors, FiniteBelief<TwoDoors>, TwoDoorsSettings> kRegistered({
    .name = "two_doors",
    .summary = "listen, or open one of two doors: a toy that shows what a family needs",
    .schema = {{
        integer("horizon", &TwoDoorsSettings::horizon, 1, 1000, "steps in an episode"),
        real("accuracy", &TwoDoorsSettings::accuracy, 0.5, 1, "how often listening tells the truth"),
        real("cost", &TwoDoorsSettings::cost, 0, 1, "what listening costs"),
    }},
    .small = {"two_doors", "two_doors(horizon=3,accuracy=1,cost=0.2)"},
});

}  // namespace
}  // namespace assay
