// A model of your own: is it worth listening at the doors before opening one? (This is Kaelbling's tiger,
// with a tiger that stays where it is.)
#include <assay/assay.hpp>
#include <assay/problem/register_family.hpp>
#include <iostream>

struct Tiger {
  using Hidden = int;  // 0: the tiger is behind the left door, 1: behind the right one
  enum State { kOutside, kGone };
  enum Action { kListen, kOpenLeft, kOpenRight };
  double hearing;

  int states() const { return 2; }
  int actions() const { return 3; }
  int horizon() const { return 4; }
  double discount() const { return 1; }
  std::vector<assay::Start> starts() const { return {{kOutside, 1.0}}; }
  std::vector<double> prior() const { return {0.5, 0.5}; }

  // p(next, reward, observation | x, a, e), one visit per outcome.
  template <class Visit>
  void outcomes(int x, int a, int tiger, Visit&& visit) const {
    if (a == assay::kArrive || x == kGone) {
      visit(1.0, assay::Outcome{x, 0, {}});
    } else if (a == kListen) {
      visit(hearing, assay::Outcome{x, -1, {tiger}});
      visit(1 - hearing, assay::Outcome{x, -1, {1 - tiger}});
    } else {
      const bool eaten = (a == kOpenLeft) == (tiger == 0);
      visit(1.0, assay::Outcome{kGone, eaten ? -100.0 : 10.0, {}});
    }
  }
};

int main() {
  using TigerProblem = assay::ProblemOf<Tiger, assay::FiniteBelief<Tiger>>;
  const auto value = [](double hearing) { return TigerProblem("tiger", Tiger{hearing}).exact({})->value(); };
  std::cout << "a good ear is worth " << value(0.85) - value(0.5) << "\n";
}
