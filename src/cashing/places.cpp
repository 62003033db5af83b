#include "cashing/places.hpp"

#include <string>

#include "assay/solver/detail/drawn_environments.hpp"
#include "assay/solver/detail/dynamics.hpp"

namespace assay {
namespace {

bool any_collects(const Belief& prior, bool arriving) {
  for (int x = 0; x < prior.states(); ++x) {
    if (arriving && prior.collects(x, kArrive)) return true;
    for (int a = 0; !arriving && a < prior.actions(); ++a) {
      if (prior.allowed(x, a) && prior.collects(x, a)) return true;
    }
  }
  return false;
}

/// Where moves lead, [state][action], -1 if not allowed. Throws UsageError if some move has several
/// successors.
std::vector<int> certain_moves(const Belief& prior, const Mdp& mdp) {
  std::vector<int> moves;
  std::size_t pair = 0;
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < mdp.actions; ++a, ++pair) {
      int to = -1;
      for (std::size_t arc = mdp.first_arc[pair]; arc < mdp.first_arc[pair + 1]; ++arc) {
        const Mdp::Arc& way = mdp.arcs[arc];
        if (way.probability == 0 || !prior.allowed(x, a)) continue;
        if (to >= 0 && to != way.next) return {};
        to = way.next;
      }
      moves.push_back(to);
    }
  }
  return moves;
}

}  // namespace

Places::Places(const Belief& prior, PlaceForm form) {
  std::string why;  // the state form does not apply
  const bool arriving = any_collects(prior, true);
  if (!prior.known_transitions()) {
    why = "moves that are not known: the state form needs a model whose environments move alike";
  } else if (arriving && any_collects(prior, false)) {
    why = "something is collected on arrival and by actions: the state form needs one of them only";
  }
  std::vector<int> moves;
  Mdp mdp;
  if (why.empty()) {
    mdp = prior.mean();
    moves = certain_moves(prior, mdp);
    if (moves.empty()) why = "moves by chance: the state form needs certain moves";
  }
  if (form == PlaceForm::kState && !why.empty()) throw UsageError(why);
  action_form_ = form == PlaceForm::kAction || !why.empty();
  if (action_form_) {
    add_choices(prior);
    return;
  }

  // Entering is told from acting by the rewards of an environment without coincidences (dynamics.hpp).
  DrawnEnvironments one;
  prior.draw({}, 1, 0, one);
  const bool entry = one.plans->dynamics().pays == Dynamics::Pays::kEntry;
  kind_ = arriving ? Kind::kArrival : entry ? Kind::kEntry : Kind::kChoice;
  add_states(mdp, moves);
}

void Places::add_choices(const Belief& prior) {
  for (int x = 0; x < prior.states(); ++x) {
    for (int a = 0; a < prior.actions(); ++a) {
      if (!prior.allowed(x, a)) continue;
      options_.push_back({a, count(), -1});
      choice_.push_back({x, a});
      next_.push_back(-1);
    }
    first_.push_back(options_.size());
  }
}

void Places::add_states(const Mdp& mdp, const std::vector<int>& moves) {
  if (kind_ != Kind::kChoice) {
    choice_.resize(static_cast<std::size_t>(mdp.states));
    for (int x = 0; x < mdp.states; ++x) next_.push_back(x);
  }
  std::size_t pair = 0;
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < mdp.actions; ++a, ++pair) {
      const int to = moves[pair];
      if (to < 0) continue;
      const int place = kind_ == Kind::kChoice ? static_cast<int>(choice_.size()) : to;
      options_.push_back({a, place, to});
      if (kind_ == Kind::kChoice) {
        choice_.push_back({x, a});
        next_.push_back(to);
      } else {
        const int paid = kind_ == Kind::kArrival ? x : to;
        choice_[static_cast<std::size_t>(paid)] = {x, a};
      }
    }
    first_.push_back(options_.size());
  }
}

}  // namespace assay
