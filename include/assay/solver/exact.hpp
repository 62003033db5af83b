// The truth about small problems: finite-horizon dynamic programming over all belief states that can be reached.
//
// A belief state is (x, b): about to arrive at x, believing b. With h steps to go,
//
//   v*_h(x,b) = E_arrival [ r + max_a E_outcome [ r' + gamma v*_{h-1}(x', b'') ] ].
//
// Forward, step by step, all successors are collected into a hash table (each belief state once); backward, the
// equation is applied. Both passes are the same traversal (`backup`), so that the n-th successor met going forward is
// the n-th met coming back: 4 bytes an arc, no probabilities stored, no second look-up.
//
// Threads: states are cut into chunks, their successors into shards by hash; first chunks are expanded in
// parallel, then shards take in their keys in parallel, always in chunk order. Values never depend on threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/workers.hpp"
#include "assay/solver/state_table.hpp"

namespace assay {

struct ExactOptions {
  std::uint64_t max_states = 10'000'000;
  int threads = 0;  // 0: all cores
};

namespace detail {
[[noreturn]] void throw_too_many_states(std::uint64_t reached, std::uint64_t limit, int step, int horizon);
[[noreturn]] void throw_unreachable_belief(int state, int remaining);
}  // namespace detail

template <class F, BeliefOver<F> B>
class ExactSolution {
 public:
  ExactSolution(std::shared_ptr<const F> family, const ExactOptions& options)
      : family_(std::move(family)), options_(options), prior_(*family_), words_(1 + prior_.words()) {
    Workers workers(options.threads);
    expand(workers);
    evaluate(workers);
  }

  /// v*(x_0, b_0), averaged over the starts.
  [[nodiscard]] double value() const {
    double sum = 0;
    for (const Start& s : family_->starts()) sum += s.probability * value(s.state, prior_, family_->horizon());
    return sum;
  }

  /// v*_h(x,b): about to arrive at x with belief b and `remaining` steps to go.
  [[nodiscard]] double value(int x, const B& belief, int remaining) const {
    const std::optional<double> found = find(x, belief, remaining);
    if (!found) detail::throw_unreachable_belief(x, remaining);
    return *found;
  }

  /// The value of each action at x once the arrival has been taken in, -infinity where it is not allowed.
  [[nodiscard]] std::vector<double> action_values(int x, const B& known, int remaining) const {
    std::vector<double> values(static_cast<std::size_t>(family_->actions()),
                               -std::numeric_limits<double>::infinity());
    B next = known;
    for (int a = 0; a < family_->actions(); ++a) {
      if (!allowed(*family_, x, a)) continue;
      values[static_cast<std::size_t>(a)] = action_value(x, a, known, [&](const Outcome& o) {
        if (remaining == 1) return 0.0;
        next = known;
        next.observe(*family_, x, a, o);
        return value(o.next, next, remaining - 1);
      });
    }
    return values;
  }

  /// The best action. Values closer than rounding can tell count as equal; of those the lowest number is taken.
  [[nodiscard]] int best_action(int x, const B& known, int remaining) const {
    const std::vector<double> values = action_values(x, known, remaining);
    const double best = *std::ranges::max_element(values);
    const double slack = 1e-10 * std::max(1.0, std::abs(best));
    return static_cast<int>(std::ranges::find_if(values, [&](double v) { return v >= best - slack; }) -
                            values.begin());
  }

  [[nodiscard]] std::uint64_t states() const { return states_; }

  /// Visits every belief state that can be reached in `step` steps: visit(x, belief, value).
  template <class Visit>
  void for_each_state(int step, Visit&& visit) const {
    B belief = prior_;
    const Layer& layer = layers_[static_cast<std::size_t>(step)];
    for (std::size_t s = 0; s < kShards; ++s) {
      for (std::size_t i = 0; i < layer.shards[s].size(); ++i) {
        const Key key = layer.shards[s].key(i);
        belief.unpack(key.subspan(1));
        visit(static_cast<int>(key[0]), std::as_const(belief), layer.values[s][i]);
      }
    }
  }

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr unsigned kShardShift = 28;       // a successor is (shard << 28 | number in the shard)
  static constexpr std::size_t kChunkStates = 512;  // states that one task expands
  static constexpr std::size_t kBlockChunks = 16;   // chunks between two inserts: their keys stay in the cache
  static constexpr std::uint64_t kPendingSlack = 4'000'000;

  struct Chunk {
    std::size_t shard, begin, end;
    std::vector<std::uint32_t> successors;  // in the order in which `backup` meets them
  };

  struct Layer {
    std::array<StateTable, kShards> shards;
    std::array<std::vector<double>, kShards> values;  // [shard][state]
    std::vector<Chunk> chunks;
  };

  /// Keys on their way from a chunk to the shards.
  struct Outbox {
    std::array<std::vector<std::uint64_t>, kShards> keys;    // [shard][key][word]
    std::array<std::vector<std::uint64_t>, kShards> hashes;  // [shard][key]
    std::array<std::vector<std::uint32_t>, kShards> places;  // [shard][key]: where in Chunk::successors
    std::uint32_t count = 0;
    void clear() {
      for (auto& k : keys) k.clear();
      for (auto& h : hashes) h.clear();
      for (auto& p : places) p.clear();
      count = 0;
    }
  };

  static std::size_t shard_of(std::uint64_t hash) { return hash >> 60U; }

  template <class Child>
  double action_value(int x, int a, const B& known, Child&& child) const {
    double q = 0;
    const double discount = family_->discount();
    known.predict(*family_, x, a,
                  [&](double p, const Outcome& o) { q += p * (o.reward + discount * child(o)); });
    return q;
  }

  /// The right-hand side of the equation above; child(known, a, outcome) stands for v*_{h-1}.
  template <class Child>
  double backup(int x, const B& arriving, B& known, Child&& child) const {
    double total = 0;
    arriving.predict(*family_, x, kArrive, [&](double p, const Outcome& arrival) {
      known = arriving;
      known.observe(*family_, x, kArrive, arrival);
      double best = -std::numeric_limits<double>::infinity();
      for (int a = 0; a < family_->actions(); ++a) {
        if (!allowed(*family_, x, a)) continue;
        best = std::max(best, action_value(x, a, known, [&](const Outcome& o) { return child(a, o); }));
      }
      total += p * (arrival.reward + best);
    });
    return total;
  }

  void write_key(int x, const B& belief, std::vector<std::uint64_t>& key) const {
    key[0] = static_cast<std::uint64_t>(x);
    belief.pack(std::span(key).subspan(1));
  }

  [[nodiscard]] std::optional<double> find(int x, const B& belief, int remaining) const {
    std::vector<std::uint64_t> key(words_);
    write_key(x, belief, key);
    const std::uint64_t hash = hash_key(key);
    const Layer& layer = layers_[static_cast<std::size_t>(family_->horizon() - remaining)];
    const std::size_t s = shard_of(hash);
    const std::uint32_t i = layer.shards[s].find(key, hash);
    if (i == StateTable::kAbsent) return std::nullopt;
    return layer.values[s][i];
  }

  Layer empty_layer() const {
    Layer layer;
    layer.shards.fill(StateTable(words_));
    return layer;
  }

  static void cut_into_chunks(Layer& layer) {
    for (std::size_t s = 0; s < kShards; ++s) {
      for (std::size_t begin = 0; begin < layer.shards[s].size(); begin += kChunkStates) {
        layer.chunks.push_back({s, begin, std::min(begin + kChunkStates, layer.shards[s].size()), {}});
      }
    }
  }

  static std::uint64_t layer_size(const Layer& layer) {
    std::uint64_t n = 0;
    for (const StateTable& shard : layer.shards) n += shard.size();
    return n;
  }

  void check_limit(std::uint64_t reached, int step) const {
    if (reached > options_.max_states) {
      detail::throw_too_many_states(reached, options_.max_states, step, family_->horizon());
    }
  }

  void expand(Workers& workers) {
    layers_.push_back(empty_layer());
    std::vector<std::uint64_t> key(words_);
    for (const Start& start : family_->starts()) {
      write_key(start.state, prior_, key);
      const std::uint64_t hash = hash_key(key);
      layers_[0].shards[shard_of(hash)].insert(key, hash);
    }
    states_ = layer_size(layers_[0]);
    check_limit(states_, 0);
    cut_into_chunks(layers_[0]);
    std::vector<Outbox> outboxes(kBlockChunks);
    for (int step = 1; step < family_->horizon(); ++step) {
      Layer next = empty_layer();
      Layer& layer = layers_.back();
      for (std::size_t begin = 0; begin < layer.chunks.size(); begin += kBlockChunks) {
        const std::size_t count = std::min(kBlockChunks, layer.chunks.size() - begin);
        expand_block(workers, layer, begin, count, outboxes, step);
        insert_block(workers, layer, begin, count, outboxes, next);
        check_limit(states_ + layer_size(next), step);
      }
      states_ += layer_size(next);
      cut_into_chunks(next);
      layers_.push_back(std::move(next));
    }
  }

  /// Fills one outbox per chunk with the keys of all successors.
  void expand_block(Workers& workers, const Layer& layer, std::size_t begin, std::size_t count,
                    std::vector<Outbox>& outboxes, int step) const {
    // One state may have more successors than fit (a map of 49 cells has 6^49 readings): count as they come.
    std::atomic<std::uint64_t> pending{0};
    workers.for_each(count, [&](std::size_t c) {
      const Chunk& chunk = layer.chunks[begin + c];
      Outbox& outbox = outboxes[c];
      outbox.clear();
      B arriving = prior_;
      B known = prior_;
      B next = prior_;
      std::vector<std::uint64_t> key(words_);
      for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
        const Key parent = layer.shards[chunk.shard].key(i);
        const int x = static_cast<int>(parent[0]);
        arriving.unpack(parent.subspan(1));
        backup(x, arriving, known, [&](int a, const Outcome& o) {
          next = known;
          next.observe(*family_, x, a, o);
          write_key(o.next, next, key);
          const std::uint64_t hash = hash_key(key);
          const std::size_t s = shard_of(hash);
          outbox.keys[s].insert(outbox.keys[s].end(), key.begin(), key.end());
          outbox.hashes[s].push_back(hash);
          outbox.places[s].push_back(outbox.count++);
          if (outbox.count % 4096 == 0) {
            const std::uint64_t total = pending += 4096;
            if (total > kPendingSlack) check_limit(states_ + total - kPendingSlack, step);
          }
          return 0.0;
        });
      }
    });
  }

  /// Empties the outboxes into the next layer, noting every successor's number.
  static void insert_block(Workers& workers, Layer& layer, std::size_t begin, std::size_t count,
                           std::vector<Outbox>& outboxes, Layer& next) {
    for (std::size_t c = 0; c < count; ++c) layer.chunks[begin + c].successors.resize(outboxes[c].count);
    workers.for_each(kShards, [&](std::size_t s) {
      StateTable& shard = next.shards[s];
      for (std::size_t c = 0; c < count; ++c) {
        const Outbox& outbox = outboxes[c];
        std::vector<std::uint32_t>& successors = layer.chunks[begin + c].successors;
        const std::size_t keys = outbox.places[s].size();
        const std::size_t words = keys == 0 ? 0 : outbox.keys[s].size() / keys;
        for (std::size_t i = 0; i < keys; ++i) {
          const Key key(outbox.keys[s].data() + i * words, words);
          const std::uint32_t number = shard.insert(key, outbox.hashes[s][i]);
          successors[outbox.places[s][i]] = static_cast<std::uint32_t>(s << kShardShift) | number;
        }
      }
    });
  }

  void evaluate(Workers& workers) {
    for (std::size_t step = layers_.size(); step-- > 0;) {
      Layer& layer = layers_[step];
      const Layer* after = step + 1 < layers_.size() ? &layers_[step + 1] : nullptr;
      for (std::size_t s = 0; s < kShards; ++s) layer.values[s].resize(layer.shards[s].size());
      workers.for_each(layer.chunks.size(), [&](std::size_t c) {
        const Chunk& chunk = layer.chunks[c];
        B arriving = prior_;
        B known = prior_;
        const std::uint32_t* successor = chunk.successors.data();
        for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
          const Key key = layer.shards[chunk.shard].key(i);
          arriving.unpack(key.subspan(1));
          layer.values[chunk.shard][i] =
              backup(static_cast<int>(key[0]), arriving, known, [&](int /*a*/, const Outcome& /*o*/) {
                if (after == nullptr) return 0.0;
                const std::uint32_t id = *successor++;
                return after->values[id >> kShardShift][id & ((1U << kShardShift) - 1)];
              });
        }
      });
      layer.chunks = {};  // the successors have served
    }
  }

  std::shared_ptr<const F> family_;
  ExactOptions options_;
  B prior_;
  std::size_t words_;          // of a key: the state, then the packed belief
  std::vector<Layer> layers_;  // [step]
  std::uint64_t states_ = 0;
};

}  // namespace assay
