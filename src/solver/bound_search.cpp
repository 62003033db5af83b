#include "solver/bound_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "assay/core/detail/memory.hpp"
#include "assay/core/error.hpp"

namespace assay {
namespace {

constexpr double kTableShare = 0.5;        // of the memory; a good part must be left for the nodes
constexpr double kTallyShare = 0.25;       // of the memory, too
constexpr double kTieShare = 1e-12;        // rounding, relative to the scale
constexpr std::size_t kBetweenLooks = 64;  // steps of a simulation between two looks at the clock
constexpr std::size_t kBytesOfPlace = 32;  // in the table, with its slots
constexpr double kNowhere = -std::numeric_limits<double>::infinity();

std::size_t share_of(std::size_t bytes, double share) {
  return static_cast<std::size_t>(static_cast<double>(bytes) * share);
}

double weighted(std::span<const BeliefTable::Share> shares, std::span<const double> values,
                std::span<const double> less = {}) {
  double sum = 0;
  for (const BeliefTable::Share& s : shares) {
    const auto e = static_cast<std::size_t>(s.environment);
    sum += s.weight * (less.empty() ? values[e] : values[e] - less[e]);
  }
  return sum;
}

/// The first word of a key holds the steps to go and the state, the second the belief.
std::array<std::uint64_t, 2> key_of(int remaining, int state, std::uint32_t belief) {
  return {static_cast<std::uint64_t>(remaining) << 32U | static_cast<std::uint64_t>(state), belief};
}

}  // namespace

BoundSearch::BoundSearch(std::shared_ptr<const FiniteModel> model, const BoundSearchOptions& options)
    : model_(std::move(model)),
      steps_(model_->endless() ? 1 : model_->horizon()),
      most_bytes_(options.bytes),
      tables_(*model_, share_of(options.bytes, kTableShare), Resources(options.threads, options.stop)),
      beliefs_(model_->environments()),
      places_(2, 1024, large_arrays()),
      logs_(static_cast<std::size_t>(model_->environments())) {
  scale_ = model_->largest_reward();
  for (const Start& s : model_->starts()) {
    for (const double v : tables_.known(steps_, s.state)) scale_ = std::max(scale_, std::abs(v));
  }
  if (tables_.complete() && options.tally_work > 0 && !model_->endless()) {
    tally_bound_ = TallyBound::make(*model_, tables_, share_of(options.bytes, kTallyShare),
                                    options.tally_work, Resources(options.threads, options.stop));
  }
  search_from_start();
}

std::size_t BoundSearch::bytes() const {
  return tables_.bytes() + (tally_bound_ ? tally_bound_->bytes() : 0) + beliefs_.bytes() +
         tallies_.capacity() * sizeof(tallies_[0]) + tree_.bytes(kBytesOfPlace);
}

void BoundSearch::search_from_start() {
  if (!tables_.complete()) return fix_bounds();
  const BeliefId prior = beliefs_.insert(std::span<const double>(model_->prior()));
  Choice start;
  root_.clear();
  for (const Start& s : model_->starts()) {
    arrive({steps_, s.state, prior}, s.probability, start, root_);
  }
  root_reward_ = start.reward;
}

/// The bounds of the whole episode that need no search.
void BoundSearch::fix_bounds() {
  const auto mean = [&](std::span<const double> values) {
    double sum = 0;
    for (std::size_t e = 0; e < values.size(); ++e) sum += model_->prior()[e] * values[e];
    return sum;
  };
  fixed_ = {kNowhere, 0};
  for (const Start& s : model_->starts()) {
    fixed_.upper += s.probability * mean(tables_.known(steps_, s.state));
  }
  for (int plan = 0; plan < tables_.plans(); ++plan) {
    double value = 0;
    for (const Start& s : model_->starts()) value += s.probability * mean(tables_.started(s.state, plan));
    if (value <= fixed_.lower) continue;
    fixed_.lower = value;
    fixed_plan_ = plan;
  }
  fixed_ = both(fixed_, fixed_);
}

int BoundSearch::clock(int x, int remaining) const {
  if (x < 0 || x >= model_->states() || remaining < 1 || remaining > model_->horizon()) {
    throw UsageError(fmt::format("state {} with {} steps to go; states are 0 to {}, steps 1 to {}", x,
                                 remaining, model_->states() - 1, model_->horizon()));
  }
  return model_->endless() ? 1 : remaining;
}

BoundSearch::Place BoundSearch::place(NodeId node) const {
  const Key key = places_.key(node);
  return {static_cast<int>(key[0] >> 32U), static_cast<int>(key[0] & 0xffffffffU),
          static_cast<BeliefId>(key[1])};
}

BoundSearch::NodeId BoundSearch::find(const Place& place) const {
  const auto key = key_of(place.remaining, place.state, place.belief);
  return places_.find(key, hash_key(key));
}

BoundSearch::NodeId BoundSearch::node_at(const Place& place) {
  const auto key = key_of(place.remaining, place.state, place.belief);
  const NodeId node = places_.insert(key, hash_key(key));
  if (node == tree_.size()) tree_.add_node({first_bounds(place), {}});
  return node;
}

BoundSearch::NodeId BoundSearch::node_at(int x, std::span<const double> weights, int remaining) {
  remaining = clock(x, remaining);
  if (!tables_.complete()) {
    throw LimitError(fmt::format(
        "{} bytes are too few to search from a belief; this problem needs more for its tables", most_bytes_));
  }
  BeliefId belief = beliefs_.find(weights);
  if (belief == BeliefTable::kAbsent) belief = beliefs_.insert(weights);
  return node_at({remaining, x, belief});
}

BoundSearch::NodeId BoundSearch::expanded_node_at(int x, std::span<const double> weights, int remaining) {
  const NodeId node = node_at(x, weights, remaining);
  if (!tree_.expanded(node)) expand(node);
  back_up(node);
  return node;
}

void BoundSearch::search_from(int x, std::span<const double> weights, int remaining) {
  root_ = {{1.0, node_at(x, weights, remaining)}};
  root_reward_ = 0;
}

Bounds BoundSearch::expected(double reward, std::span<const Branch> branches) const {
  Bounds sum{reward, reward};
  for (const Branch& b : branches) {
    sum.lower += b.probability * tree_.node(b.node).bounds.lower;
    sum.upper += b.probability * tree_.node(b.node).bounds.upper;
  }
  return sum;
}

Bounds BoundSearch::root_bounds() const {
  return tables_.complete() ? expected(root_reward_, root_) : fixed_;
}

int BoundSearch::best_plan(const Place& place, std::span<const BeliefTable::Share> shares) const {
  int best = 0;
  double most = kNowhere;
  for (int plan = 0; plan < tables_.plans(); ++plan) {
    const double value = weighted(shares, tables_.followed(place.remaining, place.state, plan));
    if (value <= most) continue;
    most = value;
    best = plan;
  }
  return best;
}

Bounds BoundSearch::first_bounds(const Place& place) {
  const std::span<const BeliefTable::Share> shares = beliefs_.shares(place.belief);
  const double upper =
      weighted(shares, tables_.known(place.remaining, place.state), tables_.arrival(place.state));
  if (shares.size() == 1) return {upper, upper};
  const int plan = best_plan(place, shares);
  Bounds bounds{weighted(shares, tables_.followed(place.remaining, place.state, plan)), upper};
  if (tally_bound_) {
    while (tallies_.size() <= place.belief) {
      tallies_.push_back(tally_bound_->tally(beliefs_.shares(static_cast<BeliefId>(tallies_.size()))));
    }
    bounds.upper =
        std::min(bounds.upper, tally_bound_->upper(place.remaining, place.state, tallies_[place.belief]));
  }
  return both(bounds, bounds);
}

BoundSearch::Posterior BoundSearch::posterior(BeliefId prior, const FiniteModel::Result& result) {
  const std::span<const FiniteModel::Chance> chances = model_->chances(result);
  if (chances.front().environment == FiniteModel::kEvery) return {chances.front().probability, prior};
  std::ranges::fill(logs_, detail::kImpossible);
  const std::span<const BeliefTable::Log> before = beliefs_.logs(prior);
  double probability = 0;
  auto chance = chances.begin();
  for (const BeliefTable::Share& share : beliefs_.shares(prior)) {
    while (chance != chances.end() && chance->environment < share.environment) ++chance;
    if (chance == chances.end()) break;
    if (chance->environment != share.environment) continue;
    const auto e = static_cast<std::size_t>(share.environment);
    probability += share.weight * chance->probability;
    logs_[e] = detail::add_log_weights(before[e], detail::log_weight(chance->probability));
  }
  if (probability == 0) return {0, prior};
  return {probability, beliefs_.insert(std::span(logs_))};
}

/// Adds to a choice what arriving pays and where it leads, weighted with `probability`.
void BoundSearch::arrive(const Place& place, double probability, Choice& choice,
                         std::vector<Branch>& branches) {
  const auto lead_to = [&](BeliefId belief, double p) {
    const NodeId node = node_at({place.remaining, place.state, belief});
    const auto known = std::ranges::find(branches, node, &Branch::node);
    if (known != branches.end()) {
      known->probability += p;
    } else {
      branches.push_back({p, node});
    }
  };
  const bool teaches = model_->teaches(place.state, kArrive);
  for (const FiniteModel::Result& result : model_->results(place.state, kArrive)) {
    const Posterior after = posterior(place.belief, result);
    if (after.probability == 0) continue;
    choice.reward += probability * after.probability * result.reward;
    choice.arrival += probability * after.probability * result.reward;
    if (teaches) lead_to(after.belief, probability * after.probability);
  }
  if (!teaches) lead_to(place.belief, probability);
}

void BoundSearch::expand(NodeId node) {
  const Place here = place(node);
  for (int a = 0; a < model_->actions(); ++a) {
    if (!model_->allowed(here.state, a)) continue;
    Choice choice{.branches = {}, .action = a};
    for (const FiniteModel::Result& result : model_->results(here.state, a)) {
      const Posterior after = posterior(here.belief, result);
      if (after.probability == 0) continue;
      choice.reward += after.probability * result.reward;
      if (is_last(here)) continue;
      arrive({clock_after(here), result.next, after.belief}, model_->discount() * after.probability, choice,
             new_branches_);
    }
    tree_.add_choice(node, choice, new_branches_);
  }
}

/// Returns the choice to follow: among those with the best upper bound, the one with the best lower bound.
const BoundSearch::Choice* BoundSearch::back_up(NodeId node) {
  const double slack = kTieShare * scale_;
  const Choice* follow = nullptr;
  Bounds followed{kNowhere, kNowhere};
  Bounds best{kNowhere, kNowhere};
  for (const Choice& choice : tree_.choices(tree_.node(node))) {
    const Bounds bounds = bounds_of(choice);
    best = {std::max(best.lower, bounds.lower), std::max(best.upper, bounds.upper)};
    const bool tied = bounds.upper >= followed.upper - slack && bounds.lower > followed.lower;
    if (bounds.upper > followed.upper + slack || tied) {
      followed = bounds;
      follow = &choice;
    }
  }
  tree_.node(node).bounds = both(tree_.node(node).bounds, best);
  return follow;
}

/// The node that contributes most to the gap beyond the tolerance. If the mean of several gaps is above the
/// tolerance, one of them is, although it may belong to an improbable node.
BoundSearch::NodeId BoundSearch::widest(std::span<const Branch> branches, double tolerance) const {
  NodeId widest = branches.front().node;
  double most = -std::numeric_limits<double>::infinity();
  for (const Branch& b : branches) {
    const Bounds& bounds = tree_.node(b.node).bounds;
    const double excess = b.probability * (bounds.upper - bounds.lower - tolerance);
    if (excess <= most) continue;
    most = excess;
    widest = b.node;
  }
  return widest;
}

void BoundSearch::simulate(double tolerance, const Stop& stop) {
  path_.clear();
  const double growth = model_->endless() ? model_->discount() : 1;
  const auto open = [&](NodeId node) {
    return tree_.node(node).bounds.upper - tree_.node(node).bounds.lower > tolerance;
  };
  for (NodeId node = widest(root_, tolerance); open(node);) {
    if (!tree_.expanded(node)) expand(node);
    path_.push_back(node);
    if (path_.size() % kBetweenLooks == 0 && stop.now()) break;  // what was found so far is kept
    const Choice* follow = back_up(node);
    if (follow->branches.count == 0) break;
    tolerance /= growth;  // what a gap at the next step adds to that at the root is less by the discount
    node = widest(tree_.branches(*follow), tolerance);
  }
  for (std::size_t i = path_.size(); i-- > 0;) back_up(path_[i]);
  ++simulations_;
}

std::optional<SearchEnd> BoundSearch::limit_reached(const SearchLimits& limits, double tolerance,
                                                    std::uint64_t first_simulation) const {
  const Bounds now = root_bounds();
  if (now.upper - now.lower <= tolerance) return SearchEnd::kTight;
  if (!tables_.complete()) return SearchEnd::kFixed;
  if (limits.stop.now()) return SearchEnd::kStopped;
  if (simulations_ - first_simulation >= limits.simulations) return SearchEnd::kSimulations;
  if (nodes() >= limits.nodes) return SearchEnd::kNodes;
  if (bytes() >= most_bytes_) return SearchEnd::kBytes;
  return std::nullopt;
}

SearchEnd BoundSearch::run(const SearchLimits& limits) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const std::uint64_t first_simulation = simulations_;
  const double tolerance = std::max(limits.tolerance, kTieShare) * scale_;
  const auto report = [&] {
    if (limits.watch) limits.watch({lower(), upper(), nodes(), simulations()});
  };
  double reported = 0;
  delays_.clear();
  report();
  while (true) {
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const std::optional<SearchEnd> end = limit_reached(limits, tolerance, first_simulation);
    if (end || seconds - reported >= limits.watch_seconds) {
      report();
      reported = seconds;
    }
    if (end) return *end;
    simulate(tolerance / 2, limits.stop);  // ties and rounding must not keep the root from it
  }
}

std::vector<Bounds> BoundSearch::action_bounds(int x, std::span<const double> weights, int remaining) {
  const NodeId node = expanded_node_at(x, weights, remaining);
  std::vector<Bounds> all(static_cast<std::size_t>(model_->actions()), {kNowhere, kNowhere});
  for (const Choice& choice : tree_.choices(tree_.node(node))) {
    all[static_cast<std::size_t>(choice.action)] = bounds_of(choice);
  }
  return all;
}

int BoundSearch::fixed_action(int x, std::span<const BeliefTable::Share> shares, int remaining) {
  if (shares.size() > 1) return tables_.action(remaining, x, best_plan({remaining, x, 0}, shares));
  const auto at = static_cast<std::size_t>(x);
  if (const Plan* plan = known_plan(shares.front().environment)) {
    return plan->action[static_cast<std::size_t>(remaining)][at];
  }
  std::vector<double> of_environments(static_cast<std::size_t>(model_->environments()));
  std::vector<double> values(static_cast<std::size_t>(model_->actions()), kNowhere);
  for (int a = 0; a < model_->actions(); ++a) {
    if (!model_->allowed(x, a)) continue;
    model_->look_ahead(x, a, tables_.known_layer(remaining - 1), of_environments.size(), of_environments);
    values[static_cast<std::size_t>(a)] =
        of_environments[static_cast<std::size_t>(shares.front().environment)];
  }
  return first_best(values, {}, scale_);
}

int BoundSearch::action(int x, std::span<const double> weights, int remaining) {
  remaining = clock(x, remaining);
  if (!tables_.complete()) return tables_.action(remaining, x, fixed_plan_);
  const BeliefId belief = beliefs_.find(weights);
  const NodeId node = belief == BeliefTable::kAbsent ? StateTable::kAbsent : find({remaining, x, belief});
  if (node != StateTable::kAbsent && tree_.expanded(node)) {
    return first_best_choice(node, 0).action;
  }
  std::vector<BeliefTable::Share> shares;
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] > 0) shares.push_back({static_cast<int>(e), weights[e]});
  }
  return fixed_action(x, shares, remaining);
}

}  // namespace assay
