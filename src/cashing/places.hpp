// Places: what a learned value is attached to.
//
// In the state form, the paper's, an agent that knows where its actions lead chooses among places, not
// actions: the next state, about to be arrived at, if arriving is what pays and tells; the state that a move
// enters, if entering does; the action itself, if acting does (a bandit's arm). It needs moves that are known
// and certain, and one collection a step.
//
// In the state-action form a place is an action of a state, whatever it leads to: moves by chance, moves that
// differ between environments, rewards on arriving and by acting. The value of such a place is what an agent
// expects that is about to arrive at the state and to choose the action there.
//
// In all cases one event happens at a place p_t: it is collected there with belief b_t, which becomes
// b_{t+1}, and then the next place is chosen. So one value function v(p, b) and one learning rule serve all
// of them.
#pragma once

#include <span>
#include <vector>

#include "assay/core/belief.hpp"

namespace assay {

enum class PlaceForm { kAuto, kState, kAction };  // auto: the state form where it applies

class Places {
 public:
  enum class Kind { kArrival, kEntry, kChoice };

  struct Option {
    int action = 0;
    int place = 0;
    int next = 0;  // the state that it leads to; -1 if there are several
  };

  /// A choice whose reward is the place's.
  struct Choice {
    int state = 0;
    int action = 0;
  };

  /// Throws UsageError if the state form is wanted and moves are not known and certain, or both arriving and
  /// acting collect.
  explicit Places(const Belief& prior, PlaceForm form = PlaceForm::kAuto);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Is a place an action of a state because the state form does not apply, or was not wanted?
  [[nodiscard]] bool action_form() const { return action_form_; }
  [[nodiscard]] int count() const { return static_cast<int>(choice_.size()); }
  /// What can be chosen in a state.
  [[nodiscard]] std::span<const Option> options(int state) const {
    const auto at = static_cast<std::size_t>(state);
    return std::span(options_).subspan(first_[at], first_[at + 1] - first_[at]);
  }
  /// Collections that are still to come for an agent that has arrived and must choose, with `remaining` steps
  /// to go (this one included).
  [[nodiscard]] int collections_left(int remaining) const {
    return kind_ == Kind::kArrival ? remaining - 1 : remaining;
  }
  /// The state that a place leads to; -1 if there are several.
  [[nodiscard]] int next(int place) const { return next_[static_cast<std::size_t>(place)]; }
  /// E[reward] of collecting at the place.
  [[nodiscard]] double expected_reward(const Belief& knowledge, int place) const {
    const Choice& paid = choice_[static_cast<std::size_t>(place)];
    return knowledge.expected_reward(paid.state, paid.action);
  }
  [[nodiscard]] const Choice& choice(int place) const { return choice_[static_cast<std::size_t>(place)]; }

 private:
  void add_choices(const Belief& prior);
  void add_states(const Mdp& mdp, const std::vector<int>& moves);

  Kind kind_ = Kind::kChoice;
  bool action_form_ = false;
  std::vector<std::size_t> first_ = {0};  // [state + 1]
  std::vector<Option> options_;           // by state, then action
  std::vector<Choice> choice_;            // [place]
  std::vector<int> next_;                 // [place]
};

}  // namespace assay
