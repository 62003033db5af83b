#include "solver/places.hpp"

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

/// Where moves lead, [state][action], -1 if not allowed.
std::vector<int> certain_moves(const Belief& prior, const Mdp& mdp) {
  std::vector<int> moves;
  std::size_t pair = 0;
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < mdp.actions; ++a, ++pair) {
      int to = -1;
      for (std::size_t arc = mdp.first_arc[pair]; arc < mdp.first_arc[pair + 1]; ++arc) {
        const Mdp::Arc& way = mdp.arcs[arc];
        if (way.probability == 0 || !prior.allowed(x, a)) continue;
        if (to >= 0 && to != way.next) throw UsageError("moves by chance: this method needs certain moves");
        to = way.next;
      }
      moves.push_back(to);
    }
  }
  return moves;
}

}  // namespace

Places::Places(const Belief& prior) {
  if (!prior.known_transitions()) {
    throw UsageError("moves that are not known: this method needs a model whose environments move alike");
  }
  const bool arriving = any_collects(prior, true);
  if (arriving && any_collects(prior, false)) {
    throw UsageError("something is collected on arrival and by actions: this method needs one of them only");
  }
  const Mdp mdp = prior.mean();
  const std::vector<int> moves = certain_moves(prior, mdp);
  // Entering is told from acting by the rewards of an environment without coincidences (dynamics.hpp).
  DrawnEnvironments one;
  prior.draw({}, 1, 0, one);
  const bool entry = one.plans->dynamics().pays == Dynamics::Pays::kEntry;
  kind_ = arriving ? Kind::kArrival : entry ? Kind::kEntry : Kind::kChoice;

  if (kind_ != Kind::kChoice) {
    choice_.resize(static_cast<std::size_t>(mdp.states));
    for (int x = 0; x < mdp.states; ++x) next_.push_back(x);
  }
  std::size_t pair = 0;
  first_.push_back(0);
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
