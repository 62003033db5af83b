#include "assay/solver/bound_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "assay/core/error.hpp"
#include "assay/core/memory.hpp"

namespace assay {
namespace {

constexpr double kTableShare = 0.5;        // of the memory; a good part must be left for the nodes
constexpr double kTallyShare = 0.25;       // the same
constexpr double kTieShare = 1e-12;        // of the scale: rounding
constexpr std::size_t kBetweenLooks = 64;  // steps of a trial; then the clock is looked at
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

}  // namespace

BoundSearch::BoundSearch(std::shared_ptr<const FiniteModel> model, const BoundSearchOptions& options)
    : model_(std::move(model)),
      most_bytes_(options.bytes),
      tables_(*model_, share_of(options.bytes, kTableShare), Resources(options.threads, options.stop)),
      beliefs_(model_->environments()),
      places_(2, 1024, large_arrays()),
      logs_(static_cast<std::size_t>(model_->environments())) {
  scale_ = model_->largest_reward();
  for (const Start& s : model_->starts()) {
    for (const double v : tables_.known(model_->horizon(), s.state)) scale_ = std::max(scale_, std::abs(v));
  }
  if (tables_.complete() && options.tally_work > 0) {
    tally_bound_ = TallyBound::make(*model_, tables_, share_of(options.bytes, kTallyShare),
                                    options.tally_work, Resources(options.threads, options.stop));
  }
  search_from_start();
}

std::size_t BoundSearch::bytes() const {
  return tables_.bytes() + (tally_bound_ ? tally_bound_->bytes() : 0) + beliefs_.bytes() +
         tallies_.capacity() * sizeof(tallies_[0]) + nodes_.capacity() * (sizeof(Node) + 32) +
         options_.capacity() * sizeof(Option) + branches_.capacity() * sizeof(Branch);
}

void BoundSearch::search_from_start() {
  const int horizon = model_->horizon();
  if (tables_.complete()) {
    root_ = {};
    root_.first_branch = static_cast<std::uint32_t>(branches_.size());
    const BeliefId prior = beliefs_.insert(std::span<const double>(model_->prior()));
    for (const Start& s : model_->starts()) arrive({horizon, s.state, prior}, s.probability, root_);
    root_branches_.assign(branches_.begin() + root_.first_branch, branches_.end());
    branches_.resize(root_.first_branch);
    return;
  }
  const auto mean = [&](std::span<const double> values) {
    double sum = 0;
    for (std::size_t e = 0; e < values.size(); ++e) sum += model_->prior()[e] * values[e];
    return sum;
  };
  fixed_ = {kNowhere, 0};
  for (const Start& s : model_->starts())
    fixed_.upper += s.probability * mean(tables_.known(horizon, s.state));
  for (int plan = 0; plan < tables_.plans(); ++plan) {
    double value = 0;
    for (const Start& s : model_->starts()) value += s.probability * mean(tables_.started(s.state, plan));
    if (value <= fixed_.lower) continue;
    fixed_.lower = value;
    fixed_plan_ = plan;
  }
  fixed_ = both(fixed_, fixed_);
}

void BoundSearch::demand(int x, int remaining) const {
  if (x < 0 || x >= model_->states() || remaining < 1 || remaining > model_->horizon()) {
    throw UsageError(fmt::format("state {} with {} steps to go; states are 0 to {}, steps 1 to {}", x,
                                 remaining, model_->states() - 1, model_->horizon()));
  }
}

void BoundSearch::search_from(int x, std::span<const double> weights, int remaining) {
  demand(x, remaining);
  if (!tables_.complete()) {
    throw LimitError(fmt::format(
        "{} bytes are too few to search from a belief; this problem needs more for its tables", most_bytes_));
  }
  BeliefId belief = beliefs_.find(weights);
  if (belief == BeliefTable::kAbsent) belief = beliefs_.insert(weights);
  root_ = {};
  root_branches_ = {{1.0, node_at({remaining, x, belief})}};
}

Bounds BoundSearch::root_bounds() const {
  if (!tables_.complete()) return fixed_;
  Bounds sum{root_.reward, root_.reward};
  for (const Branch& b : root_branches_) {
    sum.lower += b.probability * nodes_[b.node].lower;
    sum.upper += b.probability * nodes_[b.node].upper;
  }
  return sum;
}

BoundSearch::Place BoundSearch::place(NodeId node) const {
  const Key key = places_.key(node);
  return {static_cast<int>(key[0] >> 32U), static_cast<int>(key[0] & 0xffffffffU),
          static_cast<BeliefId>(key[1])};
}

std::array<std::uint64_t, 2> BoundSearch::key_of(const Place& place) {
  return {static_cast<std::uint64_t>(place.remaining) << 32U | static_cast<std::uint64_t>(place.state),
          place.belief};
}

BoundSearch::NodeId BoundSearch::node_at(const Place& place) {
  const auto key = key_of(place);
  const NodeId node = places_.insert(key, hash_key(key));
  if (node == nodes_.size()) nodes_.push_back(first_bounds(place));
  return node;
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

BoundSearch::Node BoundSearch::first_bounds(const Place& place) {
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
  bounds = both(bounds, bounds);
  return {bounds.lower, bounds.upper};
}

/// The probability of a result under the belief, and the belief after it.
BoundSearch::Seen BoundSearch::see(BeliefId belief, const FiniteModel::Result& result) {
  const std::span<const FiniteModel::Chance> chances = model_->chances(result);
  if (chances.front().environment == FiniteModel::kEvery) return {chances.front().probability, belief};
  std::ranges::fill(logs_, detail::kImpossible);
  const std::span<const BeliefTable::Log> before = beliefs_.logs(belief);
  double probability = 0;
  auto chance = chances.begin();
  for (const BeliefTable::Share& share : beliefs_.shares(belief)) {
    while (chance != chances.end() && chance->environment < share.environment) ++chance;
    if (chance == chances.end()) break;
    if (chance->environment != share.environment) continue;
    const auto e = static_cast<std::size_t>(share.environment);
    probability += share.weight * chance->probability;
    logs_[e] = detail::add_log_weights(before[e], detail::log_weight(chance->probability));
  }
  if (probability == 0) return {0, belief};
  return {probability, beliefs_.insert(std::span(logs_))};
}

/// Adds what arriving pays and leads to, weighted with `probability`. The option's branches are the last.
void BoundSearch::arrive(const Place& place, double probability, Option& option) {
  const auto lead_to = [&](BeliefId belief, double p) {
    const NodeId node = node_at({place.remaining, place.state, belief});
    const auto first = branches_.begin() + option.first_branch;
    const auto known = std::ranges::find(first, branches_.end(), node, &Branch::node);
    if (known != branches_.end()) {
      known->probability += p;
    } else {
      branches_.push_back({p, node});
    }
  };
  const bool teaches = model_->teaches(place.state, kArrive);
  for (const FiniteModel::Result& result : model_->results(place.state, kArrive)) {
    const Seen seen = see(place.belief, result);
    if (seen.probability == 0) continue;
    option.reward += probability * seen.probability * result.reward;
    option.arrival += probability * seen.probability * result.reward;
    if (teaches) lead_to(seen.belief, probability * seen.probability);
  }
  if (!teaches) lead_to(place.belief, probability);
}

void BoundSearch::expand(NodeId node) {
  const Place here = place(node);
  const auto first_option = static_cast<std::uint32_t>(options_.size());
  for (int a = 0; a < model_->actions(); ++a) {
    if (!model_->allowed(here.state, a)) continue;
    Option option{.reward = 0,
                  .arrival = 0,
                  .first_branch = static_cast<std::uint32_t>(branches_.size()),
                  .branches = 0,
                  .action = a};
    for (const FiniteModel::Result& result : model_->results(here.state, a)) {
      const Seen seen = see(here.belief, result);
      if (seen.probability == 0) continue;
      option.reward += seen.probability * result.reward;
      if (here.remaining > 1) {
        arrive({here.remaining - 1, result.next, seen.belief}, model_->discount() * seen.probability, option);
      }
    }
    option.branches = static_cast<std::uint32_t>(branches_.size()) - option.first_branch;
    options_.push_back(option);
  }
  nodes_[node].first_option = first_option;
  nodes_[node].options = static_cast<std::uint32_t>(options_.size()) - first_option;
}

Bounds BoundSearch::option_bounds(const Option& option) const {
  Bounds sum{option.reward, option.reward};
  for (const Branch& b : branches_of(option)) {
    sum.lower += b.probability * nodes_[b.node].lower;
    sum.upper += b.probability * nodes_[b.node].upper;
  }
  return sum;
}

/// Returns the option to follow: of those with the best upper bound, the one that is most certain.
const BoundSearch::Option* BoundSearch::back_up(NodeId node) {
  const double slack = kTieShare * scale_;
  const Option* follow = nullptr;
  Bounds followed{kNowhere, kNowhere};
  Bounds best{kNowhere, kNowhere};
  for (const Option& option : options_of(node)) {
    const Bounds bounds = option_bounds(option);
    best = {std::max(best.lower, bounds.lower), std::max(best.upper, bounds.upper)};
    const bool tied = bounds.upper >= followed.upper - slack && bounds.lower > followed.lower;
    if (bounds.upper > followed.upper + slack || tied) {
      followed = bounds;
      follow = &option;
    }
  }
  const Bounds now = both({nodes_[node].lower, nodes_[node].upper}, best);
  nodes_[node].lower = now.lower;
  nodes_[node].upper = now.upper;
  return follow;
}

/// The node that contributes most to the gap beyond the tolerance: if a mean of gaps is above it, one of them
/// is, though it may be an improbable one.
BoundSearch::NodeId BoundSearch::widest(std::span<const Branch> branches, double tolerance) const {
  NodeId widest = branches.front().node;
  double most = -std::numeric_limits<double>::infinity();
  for (const Branch& b : branches) {
    const double excess = b.probability * (nodes_[b.node].upper - nodes_[b.node].lower - tolerance);
    if (excess <= most) continue;
    most = excess;
    widest = b.node;
  }
  return widest;
}

void BoundSearch::trial(double tolerance, const Stop& stop) {
  path_.clear();
  NodeId node = widest(root_branches_, tolerance);
  while (nodes_[node].upper - nodes_[node].lower > tolerance) {
    if (nodes_[node].options == 0) expand(node);
    path_.push_back(node);
    if (path_.size() % kBetweenLooks == 0 && stop.now()) break;  // what was found on the way is kept
    const Option* follow = back_up(node);
    if (follow->branches == 0) break;
    node = widest(branches_of(*follow), tolerance);
  }
  for (std::size_t i = path_.size(); i-- > 0;) back_up(path_[i]);
  ++trials_;
}

std::optional<SearchEnd> BoundSearch::limit_reached(const SearchLimits& limits, double tolerance,
                                                    std::uint64_t first_trial) const {
  const Bounds now = root_bounds();
  if (now.upper - now.lower <= tolerance) return SearchEnd::kTight;
  if (!tables_.complete()) return SearchEnd::kFixed;
  if (limits.stop.now()) return SearchEnd::kStopped;
  if (trials_ - first_trial >= limits.trials) return SearchEnd::kTrials;
  if (nodes_.size() >= limits.nodes) return SearchEnd::kNodes;
  if (bytes() >= most_bytes_) return SearchEnd::kBytes;
  return std::nullopt;
}

SearchEnd BoundSearch::run(const SearchLimits& limits) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  const std::uint64_t first_trial = trials_;
  const double tolerance = std::max(limits.tolerance, kTieShare) * scale_;
  const auto report = [&] {
    if (limits.watch) limits.watch({lower(), upper(), nodes(), trials()});
  };
  double reported = 0;
  delays_.clear();
  report();
  while (true) {
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    const std::optional<SearchEnd> end = limit_reached(limits, tolerance, first_trial);
    if (end || seconds - reported >= limits.watch_seconds) {
      report();
      reported = seconds;
    }
    if (end) return *end;
    trial(tolerance / 2, limits.stop);  // ties and rounding cannot keep the root from its tolerance
  }
}

std::vector<Bounds> BoundSearch::action_bounds(int x, std::span<const double> weights, int remaining) {
  const Option root = root_;
  const std::vector<Branch> root_branches = root_branches_;
  search_from(x, weights, remaining);
  const NodeId node = root_branches_.front().node;
  root_ = root;
  root_branches_ = root_branches;
  if (nodes_[node].options == 0) expand(node);
  back_up(node);
  std::vector<Bounds> all(static_cast<std::size_t>(model_->actions()), {kNowhere, kNowhere});
  for (const Option& option : options_of(node))
    all[static_cast<std::size_t>(option.action)] = option_bounds(option);
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
  demand(x, remaining);
  if (!tables_.complete()) return tables_.action(remaining, x, fixed_plan_);
  const BeliefId belief = beliefs_.find(weights);
  NodeId node = StateTable::kAbsent;
  if (belief != BeliefTable::kAbsent) {
    const auto key = key_of({remaining, x, belief});
    node = places_.find(key, hash_key(key));
  }
  if (node == StateTable::kAbsent || nodes_[node].options == 0) {
    std::vector<BeliefTable::Share> shares;
    for (std::size_t e = 0; e < weights.size(); ++e) {
      if (weights[e] > 0) shares.push_back({static_cast<int>(e), weights[e]});
    }
    return fixed_action(x, shares, remaining);
  }
  const std::span<const Option> options = options_of(node);
  const std::size_t best = detail::first_best_of(
      options.size(), [&](std::size_t i) { return option_bounds(options[i]).lower; },
      [&](std::size_t i) { return option_delay(options[i], 0); }, scale_);
  return options[best].action;
}

}  // namespace assay
