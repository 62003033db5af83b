// What actions are worth to who plans anew at every step: by playing it out.
//
// The rule that follows an action is greedy: plan for what is expected, do its first step, take in what is
// seen, plan anew. Before that it may go somewhere to look: to the place where what is to be seen would
// change the plan most for the way. Whatever is best by these rules is at least as good as the rules
// themselves (policy improvement), and no leaf value enters.
//
// Every action is played in the same environments, with the same luck wherever it gets to a place for the
// same time, so that what differs is what was done; rewards are those that an environment expects; and who
// never changed its plan would collect what is known exactly, so that only what changing it adds is estimated
// (a control variate). Moves must be known.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "assay/core/belief.hpp"
#include "cashing/known_moves.hpp"

namespace assay {

struct PlayoutSettings {
  std::size_t environments = 256;  // at most; fewer if it is clear before
  double discount = 1;
  double hopeless = 3;  // a rule is given up when it is worse than the best by so many standard errors
};

/// An action, and the best rule that was found to go on with after it.
struct PlayedOut {
  int action = 0;
  double value = 0;  // of what is still to come for who has arrived and does it
  double standard_error = 0;
  std::size_t playouts = 0;  // of it, by all rules
  int first_to = -1;         // the state to go to before planning greedily, if any
};

class Playouts {
 public:
  /// Throws UsageError unless all environments move alike.
  Playouts(const Belief& prior, const PlayoutSettings& settings);

  /// For an agent that has arrived at `state`: all allowed actions. Between rounds it asks whether to `stop`;
  /// one round is always played.
  std::vector<PlayedOut> run(const Belief& known, int state, int remaining, const Rng& rng,
                             const std::function<bool()>& stop = {});

 private:
  /// An action to begin with, and where to go then.
  struct Rule {
    std::size_t choice = 0;  // of the allowed actions
    int first_to = -1;
    std::vector<double> returns;    // [environment]
    std::vector<double> unchanged;  // how often the plan of the present collects each reward after the action
    double known = 0;               // and what that is expected to pay
    bool open = true;               // could still be the best
  };

  [[nodiscard]] std::size_t place(int state, int action) const {
    return static_cast<std::size_t>(state * (actions_ + 1) + action - kArrive);
  }
  [[nodiscard]] Rng luck(std::size_t environment, int state, int action, std::size_t visit) const;
  /// A round's: the first of them is the `first` of all.
  void draw_environments(const Belief& known, const Rng& rng, std::size_t first, std::size_t count);
  void arrive(std::size_t environment, int action, std::vector<std::uint16_t>& visits, Belief& knowledge,
              int& at);

  [[nodiscard]] std::vector<int> distances_from(int state) const;
  [[nodiscard]] const std::vector<float>& nearness(int goal);
  [[nodiscard]] float nearness_after(const std::vector<float>& near, int state, std::size_t i) const;
  [[nodiscard]] float worth(const KnownMoves& moves, int state, std::size_t i, std::size_t lane) const;
  [[nodiscard]] std::size_t greedy(const KnownMoves& moves, int state, std::size_t lane) const;
  [[nodiscard]] std::size_t towards(int goal, const KnownMoves& moves, int state, std::size_t lane);

  [[nodiscard]] std::vector<double> gains(const Belief& known, const std::vector<int>& places, int left,
                                          std::size_t looks);
  [[nodiscard]] int place_to_look(const Belief& known, int state, int remaining);
  [[nodiscard]] std::vector<Rule> rules(const Belief& known, int state, int remaining);
  void play(const Belief& known, int state, int remaining, std::vector<Rule*>& rules, std::size_t count);
  [[nodiscard]] static const Rule& best_of(const std::vector<Rule>& rules);

  PlayoutSettings settings_;
  KnownMoves present_;       // what is expected now, in one lane
  KnownMoves lanes_;         // what is expected where the playouts have got to
  KnownMoves environments_;  // what the environments of this round pay
  std::vector<std::unique_ptr<Environment>> drawn_;
  std::vector<Rng> lucks_;
  std::map<int, std::vector<float>> nearness_;  // by goal
  std::vector<StateAction> ways_;               // [state]: by which action one gets there most surely
  std::vector<bool> learns_;                    // [place]
  int actions_;
};

}  // namespace assay
