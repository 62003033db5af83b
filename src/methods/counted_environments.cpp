#include "methods/counted_environments.hpp"

#include <cmath>
#include <limits>

#include "assay/core/error.hpp"

namespace assay {

CountedEnvironments::CountedEnvironments(const Belief& prior, std::size_t environments)
    : states_(prior.states()), actions_(prior.actions()), discount_(prior.outline().discount) {
  const std::size_t pairs = pair(states_, 0);
  for (int x = 0; x < states_; ++x) {
    for (int a = 0; a < actions_; ++a) allowed_.push_back(prior.allowed(x, a));
  }
  const Counts none{std::vector<Mean>(static_cast<std::size_t>(states_)), std::vector<Mean>(pairs),
                    std::vector<std::map<int, std::uint64_t>>(pairs)};
  counts_.assign(environments, none);
}

void CountedEnvironments::add(std::size_t environment, const ExperiencedStep& step) {
  Counts& counts = counts_[environment];
  counts.arrival[static_cast<std::size_t>(step.state)].add(step.arrival);
  counts.reward[pair(step.state, step.action)].add(step.reward);
  ++counts.next[pair(step.state, step.action)][step.next];
}

Mdp CountedEnvironments::table(std::size_t environment) const {
  const Counts& counts = counts_[environment];
  Mdp mdp;
  mdp.states = states_;
  mdp.actions = actions_;
  mdp.discount = discount_;
  mdp.first_arc = {0};
  for (int x = 0; x < states_; ++x) {
    for (int a = 0; a < actions_; ++a) {
      const std::size_t at = pair(x, a);
      const double arrival = counts.arrival[static_cast<std::size_t>(x)].value();
      mdp.reward.push_back(allowed_[at] ? arrival + counts.reward[at].value()
                                        : -std::numeric_limits<double>::infinity());
      const auto tried = static_cast<double>(counts.reward[at].count);
      for (const auto& [next, count] : counts.next[at]) {
        mdp.arcs.push_back({next, static_cast<double>(count) / tried});
      }
      if (allowed_[at] && tried == 0) mdp.arcs.push_back({x, 1});
      mdp.end_row();
    }
  }
  return mdp;
}

std::vector<Mdp> CountedEnvironments::tables() const {
  std::vector<Mdp> all;
  for (std::size_t e = 0; e < counts_.size(); ++e) all.push_back(table(e));
  return all;
}

void CountedEnvironments::save(ByteWriter& writer) const {
  for (const Counts& counts : counts_) {
    for (const std::vector<Mean>* means : {&counts.arrival, &counts.reward}) {
      for (const Mean& mean : *means) {
        writer.u64(mean.count);
        writer.f64(mean.sum);
      }
    }
    for (const auto& row : counts.next) {
      writer.u64(row.size());
      for (const auto& [next, count] : row) {
        writer.u64(static_cast<std::uint64_t>(next));
        writer.u64(count);
      }
    }
  }
}

void CountedEnvironments::restore(ByteReader& reader) {
  for (Counts& counts : counts_) {
    for (std::vector<Mean>* means : {&counts.arrival, &counts.reward}) {
      for (Mean& mean : *means) {
        mean.count = reader.u64();
        mean.sum = reader.f64();
        if (!std::isfinite(mean.sum)) throw CorruptError("the counts hold a reward that is not a number");
      }
    }
    for (std::size_t i = 0; i < counts.next.size(); ++i) {
      counts.next[i].clear();
      std::uint64_t total = 0;
      for (std::uint64_t left = reader.u64(); left > 0; --left) {
        const std::uint64_t next = reader.u64();
        const std::uint64_t count = reader.u64();
        if (next >= static_cast<std::uint64_t>(states_))
          throw CorruptError("the counts are of another problem");
        counts.next[i][static_cast<int>(next)] = count;
        total += count;
      }
      if (total != counts.reward[i].count) throw CorruptError("the counts do not agree with each other");
    }
  }
}

}  // namespace assay
