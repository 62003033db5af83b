// Guess a number: right pays 1 and ends it, wrong says whether the number is larger or smaller. The belief is
// the interval that is left. A belief of one's own in one file, with a short model to hold it about.
#include <cmath>
#include <string>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/problem/register_family.hpp"

namespace assay {
namespace {

struct GuessSettings {
  int numbers = 7;
  int horizon = 3;
};

class Guess {
 public:
  struct Hidden {
    int number = 0;
  };
  enum State { kAsked, kFound };
  enum Answer { kSmaller, kLarger };

  explicit Guess(const GuessSettings& settings) : settings_(settings) {}

  int states() const { return 2; }
  int actions() const { return settings_.numbers; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return 1; }
  std::vector<Start> starts() const { return {{kAsked, 1.0}}; }

  template <class Visit>
  void outcomes(int x, int a, const Hidden& e, Visit&& visit) const {
    if (a == kArrive || x == kFound) return visit(1.0, Outcome{x, 0, {}});
    if (a == e.number) return visit(1.0, Outcome{kFound, 1, {}});
    visit(1.0, Outcome{kAsked, 0, {e.number < a ? kSmaller : kLarger}});
  }

 private:
  GuessSettings settings_;
};

/// All numbers from first to last are equally likely.
class Interval {
 public:
  explicit Interval(const Guess& model) : last_(model.actions() - 1) {}

  Guess::Hidden sample(const Guess& /*model*/, Rng& rng) const {
    return {first_ + static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(last_ - first_ + 1)))};
  }
  double log_density(const Guess& /*model*/, const Guess::Hidden& e) const {
    return std::log(share(e.number, e.number));
  }
  double expected_reward(const Guess& /*model*/, int x, int a) const {
    return x == Guess::kAsked ? share(a, a) : 0;
  }

  template <class Visit>
  void predict(const Guess& model, int x, int a, Visit&& visit) const {
    if (a == kArrive || x == Guess::kFound) return visit(1.0, Outcome{x, 0, {}});
    const auto say = [&](double p, const Outcome& o) {
      if (p > 0) visit(p, o);
    };
    say(share(a, a), Outcome{Guess::kFound, 1, {}});
    say(share(0, a - 1), Outcome{x, 0, {Guess::kSmaller}});
    say(share(a + 1, model.actions() - 1), Outcome{x, 0, {Guess::kLarger}});
  }

  void observe(const Guess& /*model*/, int x, int a, const Outcome& seen) {
    if (a == kArrive || x == Guess::kFound) return;
    Interval left = *this;
    if (seen.next == Guess::kFound) {
      left.cut(a, a);
    } else if (seen.observation == Observation{Guess::kSmaller}) {
      left.cut(0, a - 1);
    } else {
      left.cut(a + 1, last_);
    }
    if (left.first_ > left.last_) throw ImpossibleEvidence("no number is left");
    *this = left;
  }

  std::size_t feature_count() const { return 2; }
  void features(std::span<double> out) const {
    out[0] = first_;
    out[1] = last_;
  }
  std::size_t words() const { return 2; }
  void pack(std::span<std::uint64_t> key) const {
    key[0] = static_cast<std::uint64_t>(first_);
    key[1] = static_cast<std::uint64_t>(last_);
  }
  void unpack(std::span<const std::uint64_t> key) {
    first_ = static_cast<int>(key[0]);
    last_ = static_cast<int>(key[1]);
  }
  std::string text(const Guess& /*model*/) const {
    return std::to_string(first_) + " to " + std::to_string(last_);
  }

 private:
  void cut(int first, int last) {
    first_ = std::max(first_, first);
    last_ = std::min(last_, last);
  }
  /// The probability of the numbers from first to last.
  double share(int first, int last) const {
    const int common = std::min(last, last_) - std::max(first, first_) + 1;
    return std::max(common, 0) / static_cast<double>(last_ - first_ + 1);
  }

  int first_ = 0;
  int last_;
};

const RegisterFamily<Guess, Interval, GuessSettings> kRegistered({
    .name = "guess",
    .summary = "guess a number: a toy that shows what a belief needs",
    .schema = {{
        integer("numbers", &GuessSettings::numbers, 1, 100, "how many numbers there are"),
        integer("horizon", &GuessSettings::horizon, 1, 100, "how many guesses there are"),
    }},
    .small = {"guess", "guess(numbers=3,horizon=2)"},
});

}  // namespace
}  // namespace assay
