// The truth about small problems: finite-horizon dynamic programming over all belief states that can be
// reached.
//
// A belief state is (x, b): about to arrive at x, believing b. With h steps to go,
//
//   v*_h(x,b) = E_arrival [ r + max_a E_outcome [ r' + gamma v*_{h-1}(x', b'') ] ].
//
// Forward, step by step, all successors are collected into a hash table (each belief state once); backward,
// the equation is applied. Both passes go through outcomes in the same order (`for_each_action_outcome`), so
// that the n-th successor met going forward is the n-th met coming back: 4 bytes an arc, no probabilities
// stored, no second look-up.
//
// An endless problem is solved up to its cut. There the bounds of the tail take the place of values, and both
// are carried backward: v* lies between them.
//
// Threads: chunks of states are expanded in parallel while a single thread takes their successors into the
// table, always in the order of the chunks. So states are numbered alike for every number of threads,
// neighbours in belief space stay neighbours in memory (measured: 30 % faster than tables sharded by hash,
// which can be filled in parallel), and values do not depend on threads at all.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <memory_resource>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/memory.hpp"
#include "assay/core/detail/outline.hpp"
#include "assay/core/detail/workers.hpp"
#include "assay/core/error.hpp"
#include "assay/solver/detail/exact_layers.hpp"
#include "assay/solver/detail/exact_options.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "assay/solver/detail/state_table.hpp"
#include "assay/solver/exact_solution.hpp"

namespace assay {

namespace detail {
[[noreturn]] void throw_too_many_states(std::uint64_t reached, std::uint64_t limit, std::size_t words,
                                        int step, int horizon);
[[noreturn]] void throw_too_many_successors(std::uint64_t arcs, int step, int horizon);
}  // namespace detail

template <class M, BeliefOver<M> B>
class ExactSolver {
  static_assert(detail::kMembersChecked<M>);

 public:
  /// `tail` is needed for an endless problem.
  ExactSolver(const M& model, const ExactOptions& options, TailBounds tail = {})
      : model_(model),
        horizon_(episode_steps(model)),
        options_(options),
        tail_(std::move(tail)),
        prior_(model),
        belief_words_(prior_.words()),
        words_(belief_words_ + (model.states() > 1 ? 1 : 0)) {}

  /// To be called once.
  detail::ExactLayers solve() {
    std::pmr::monotonic_buffer_resource arc_memory(large_arrays());
    std::vector<Arcs> arcs;  // [step]
    Workers workers(options_.threads, options_.stop);
    expand(workers, arcs, arc_memory);
    evaluate(workers, arcs);
    detail::ExactLayers solved{std::move(memory_), {}, states_};
    for (Layer& layer : layers_) solved.layers.push_back(std::move(layer.solved));
    return solved;
  }

 private:
  // One task expands a chunk of states: so many, or fewer if the keys of their successors take too much.
  static constexpr std::size_t kMostChunk = 512;
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20U;
  static constexpr std::size_t kMostOutboxBytes = std::size_t{256} << 20U;  // keys of a chunk that may wait
  static constexpr std::size_t kFewArcs = 64;    // per state, a guess for the first step
  static constexpr std::size_t kUsualWords = 8;  // of a key; wider ones count as several states in max_states
  static constexpr std::size_t kAhead = 12;      // keys to prefetch ahead
  static constexpr std::size_t kArcWork = 100;   // nanoseconds that a successor takes, about
  static constexpr std::size_t kPolledArcs = 256;  // successors between questions whether to stop

  using Worth = detail::Worth;

  /// [action], with -infinity in place of a value where the action is not allowed.
  struct Choices {
    std::vector<double> values, delays;

    explicit Choices(int actions)
        : values(static_cast<std::size_t>(actions)), delays(static_cast<std::size_t>(actions)) {}
  };

  /// The belief states of one step, in chunks.
  struct Layer {
    detail::ExactLayer solved;
    std::size_t chunk = kMostChunk;  // states per chunk; results do not depend on it

    [[nodiscard]] std::size_t chunks() const { return (solved.table.size() + chunk - 1) / chunk; }
    [[nodiscard]] std::size_t chunk_end(std::size_t c) const {
      return std::min((c + 1) * chunk, solved.table.size());
    }
  };

  /// Where the states of a layer lead.
  struct Arcs {
    std::pmr::vector<std::uint32_t> successors;  // of all states, in the order of `for_each_action_outcome`
    std::vector<std::size_t> first = {};         // [chunk]: its place in `successors`
  };

  /// The successors' keys of one chunk, on their way into the table.
  struct Outbox {
    std::size_t arcs = 0;
    std::vector<std::uint64_t> hashes;  // [room for arcs]
    std::vector<std::uint64_t> keys;    // [room for arcs][word]

    /// Room for one more key. Grows by hand: resizing a vector by a few words costs more than writing them.
    std::span<std::uint64_t> next_key(std::size_t words) {
      if (arcs == hashes.size()) {
        hashes.resize(2 * arcs + 1024);
        keys.resize(hashes.size() * words);
      }
      return {keys.data() + arcs * words, words};
    }
  };

  /// What can come of each action, always in the same order: visit(a, p, outcome).
  template <class Visit>
  void for_each_action_outcome(int x, const B& known, Visit&& visit) const {
    for (int a = 0; a < model_.actions(); ++a) {
      if (!allowed(model_, x, a)) continue;
      known.predict(model_, x, a, [&](double p, const Outcome& o) { visit(a, p, o); });
    }
  }

  /// Fills in the choices at x; child(a, outcome) is the Worth of what follows.
  template <class Child>
  void choose(int x, const B& known, Choices& choices, Child&& child) const {
    const double discount = model_.discount();
    for (int a = 0; a < model_.actions(); ++a) {
      const bool possible = allowed(model_, x, a);
      choices.values[static_cast<std::size_t>(a)] = possible ? 0 : -std::numeric_limits<double>::infinity();
      choices.delays[static_cast<std::size_t>(a)] = 0;
    }
    for_each_action_outcome(x, known, [&](int a, double p, const Outcome& o) {
      const Worth after = child(a, o);
      choices.values[static_cast<std::size_t>(a)] += p * (o.reward + discount * after.value);
      choices.delays[static_cast<std::size_t>(a)] += p * discount * (after.value + after.delay);
    });
  }

  /// The belief after an outcome; where nothing can be learned, the belief itself.
  const B& updated(const B& belief, int x, int a, const Outcome& outcome, B& scratch) const {
    if constexpr (requires { belief.learns(model_, x, a); }) {
      if (!belief.learns(model_, x, a)) return belief;
    }
    scratch = belief;
    scratch.observe(model_, x, a, outcome);
    return scratch;
  }

  /// The right-hand side of the equation above; child(known, a, outcome) stands for v*_{h-1}.
  template <class Child>
  Worth backup(int x, const B& arriving, B& scratch, Choices& choices, double scale, Child&& child) const {
    Worth total;
    arriving.predict(model_, x, kArrive, [&](double p, const Outcome& arrival) {
      const B& known = updated(arriving, x, kArrive, arrival, scratch);
      choose(x, known, choices, [&](int a, const Outcome& o) { return child(known, a, o); });
      const std::size_t best = detail::first_best_of(
          choices.values.size(), [&](std::size_t a) { return choices.values[a]; },
          [&](std::size_t a) { return choices.delays[a]; }, scale);
      total.value += p * (arrival.reward + *std::ranges::max_element(choices.values));
      total.delay += p * choices.delays[best];
    });
    return total;
  }

  void write_key(int x, const B& belief, std::span<std::uint64_t> key) const {
    belief.pack(key.first(belief_words_));
    if (belief_words_ < words_) key.back() = static_cast<std::uint64_t>(x);
  }

  void write_successor_key(int x, int a, const Outcome& o, const B& known, B& scratch,
                           std::span<std::uint64_t> key) const {
    if constexpr (requires { known.pack_after(model_, x, a, o, key); }) {
      known.pack_after(model_, x, a, o, key.first(belief_words_));
      if (belief_words_ < words_) key.back() = static_cast<std::uint64_t>(o.next);
    } else {
      write_key(o.next, updated(known, x, a, o, scratch), key);
    }
  }

  /// The state and the belief that a key was written from.
  int read_key(Key key, B& belief) const {
    belief.unpack(key.first(belief_words_));
    return belief_words_ < words_ ? static_cast<int>(key.back()) : 0;
  }

  [[nodiscard]] std::size_t chunk_for(double arcs_per_state) const {
    const double bytes_per_state = 8 * static_cast<double>(words_) * std::max(1.0, arcs_per_state);
    return std::clamp<std::size_t>(static_cast<std::size_t>(kChunkBytes / bytes_per_state), 1, kMostChunk);
  }

  /// max_states bounds memory: states with wide keys (many environments or cells) count for more.
  [[nodiscard]] std::uint64_t most_states() const {
    return std::max<std::uint64_t>(1, options_.max_states / std::max<std::size_t>(1, words_ / kUsualWords));
  }

  void check_limit(std::uint64_t reached, int step) const {
    if (reached > most_states()) {
      detail::throw_too_many_states(reached, most_states(), words_ + 2, step, horizon_);
    }
  }

  void expand(Workers& workers, std::vector<Arcs>& all_arcs, std::pmr::memory_resource& arc_memory) {
    layers_.push_back({{StateTable(words_, model_.starts().size(), memory_.get()), memory_.get()}});
    layers_[0].chunk = chunk_for(kFewArcs);
    std::vector<std::uint64_t> key(words_);
    for (const Start& start : model_.starts()) {
      write_key(start.state, prior_, key);
      layers_[0].solved.table.insert(key, hash_key(key));
    }
    states_ = layers_[0].solved.table.size();
    check_limit(states_, 0);
    std::vector<Outbox> outboxes(workers.slots());
    double growth = 1;
    double arcs_per_state = 0;
    for (int step = 1; step < horizon_; ++step) {
      Layer& layer = layers_.back();
      // Layers grow smoothly: the last growth is a good guess at the next, and room that fits need not be
      // rehashed.
      const double guess =
          std::min(std::min(1.05 * growth, 2.0) * static_cast<double>(layer.solved.table.size()),
                   static_cast<double>(most_states() - states_));
      Arcs& arcs = all_arcs.emplace_back(Arcs{std::pmr::vector<std::uint32_t>(&arc_memory)});
      arcs.successors.reserve(
          static_cast<std::size_t>(1.01 * arcs_per_state * static_cast<double>(layer.solved.table.size())));
      Layer next{
          {StateTable(words_, static_cast<std::size_t>(guess), memory_.get(), layer.solved.table.close()),
           memory_.get()}};
      workers.pipeline(
          layer.chunks(),
          [&](std::size_t chunk, std::size_t slot) { expand_chunk(layer, chunk, outboxes[slot], step); },
          [&](std::size_t /*chunk*/, std::size_t slot) {
            insert_chunk(outboxes[slot], arcs, next);
            check_limit(states_ + next.solved.table.size(), step);
          });
      states_ += next.solved.table.size();
      arcs_per_state =
          static_cast<double>(arcs.successors.size()) / static_cast<double>(layer.solved.table.size());
      next.chunk = chunk_for(arcs_per_state);
      growth = static_cast<double>(next.solved.table.size()) / static_cast<double>(layer.solved.table.size());
      layers_.push_back(std::move(next));
      report(true, step);
    }
  }

  void report(bool forward, int step) const {
    if (options_.watch) options_.watch({forward, step, horizon_, states_});
  }

  /// Fills an outbox with the keys of all successors of a chunk.
  void expand_chunk(const Layer& layer, std::size_t chunk, Outbox& outbox, int step) const {
    outbox.arcs = 0;
    B arriving = prior_;
    B scratch = prior_;
    B next = prior_;
    // One state may have more successors than memory holds: a map of 49 cells has 6^49 readings.
    const std::size_t most_arcs = kMostOutboxBytes / (8 * words_);
    StopPoll poll(options_.stop);
    for (std::size_t i = chunk * layer.chunk; i < layer.chunk_end(chunk); ++i) {
      const int x = read_key(layer.solved.table.key(i), arriving);
      arriving.predict(model_, x, kArrive, [&](double /*p*/, const Outcome& arrival) {
        const B& known = updated(arriving, x, kArrive, arrival, scratch);
        for_each_action_outcome(x, known, [&](int a, double /*p*/, const Outcome& o) {
          if (outbox.arcs == most_arcs) detail::throw_too_many_successors(outbox.arcs, step, horizon_);
          if (outbox.arcs % kPolledArcs == 0) poll.count(kPolledArcs * kArcWork);
          const std::span<std::uint64_t> key = outbox.next_key(words_);
          write_successor_key(x, a, o, known, next, key);
          outbox.hashes[outbox.arcs++] = hash_key(key);
        });
      });
    }
  }

  /// Empties an outbox into the next layer, noting every successor's number.
  void insert_chunk(const Outbox& outbox, Arcs& arcs, Layer& next) const {
    arcs.first.push_back(arcs.successors.size());
    for (std::size_t i = 0; i < outbox.arcs; ++i) {
      // The table is larger than the nearest cache: ask early for what will be needed.
      if (i + kAhead < outbox.arcs) next.solved.table.prefetch(outbox.hashes[i + kAhead]);
      arcs.successors.push_back(
          next.solved.table.insert({outbox.keys.data() + i * words_, words_}, outbox.hashes[i]));
    }
  }

  void evaluate(Workers& workers, const std::vector<Arcs>& arcs) {
    for (std::size_t step = layers_.size(); step-- > 0;) {
      Layer& layer = layers_[step];
      const bool last = step + 1 == layers_.size();
      layer.solved.worths.resize(layer.solved.table.size());
      if (tail_) layer.solved.uppers.resize(layer.solved.table.size());
      if (!last) layer.solved.scale = scale_before(layers_[step + 1]);
      workers.for_each(layer.chunks(), [&](std::size_t chunk) {
        evaluate_chunk(layer, chunk, last ? nullptr : arcs[step].successors.data() + arcs[step].first[chunk],
                       last ? nullptr : &layers_[step + 1].solved);
      });
      report(false, static_cast<int>(step));
    }
  }

  [[nodiscard]] static double scale_before(const Layer& next) {
    double scale = next.solved.scale;
    for (const Worth& worth : next.solved.worths) scale = std::max(scale, std::abs(worth.value));
    return scale;
  }

  /// Bounds of what follows the last step.
  Bounds tail_after(int x, const B& known, int a, const Outcome& o, B& scratch) const {
    const B& after = updated(known, x, a, o, scratch);
    if constexpr (requires { std::span<const double>(after.weights()); }) {
      return tail_(o.next, after.weights());
    } else {
      return tail_(o.next, {});
    }
  }

  /// Values a chunk of states; `successor` points to its successors' numbers and `next` to the layer that
  /// holds them (none after the last step).
  void evaluate_chunk(Layer& layer, std::size_t chunk, const std::uint32_t* successor,
                      const detail::ExactLayer* next) const {
    const Worth* after = next == nullptr ? nullptr : next->worths.data();
    B arriving = prior_;
    B scratch = prior_;
    B beyond = prior_;
    Choices choices(model_.actions());
    StopPoll poll(options_.stop);
    std::size_t arcs = 0;
    for (std::size_t i = chunk * layer.chunk; i < layer.chunk_end(chunk); ++i) {
      const int x = read_key(layer.solved.table.key(i), arriving);
      const std::uint32_t* again = successor;
      layer.solved.worths[i] = backup(
          x, arriving, scratch, choices, layer.solved.scale, [&](const B& known, int a, const Outcome& o) {
            if (++arcs % kPolledArcs == 0) poll.count(kPolledArcs * kArcWork);
            if (after != nullptr) return after[*successor++];
            return tail_ ? Worth{tail_after(x, known, a, o, beyond).lower, 0} : Worth{};
          });
      if (!tail_) continue;
      layer.solved.uppers[i] =
          backup(x, arriving, scratch, choices, layer.solved.scale,
                 [&](const B& known, int a, const Outcome& o) {
                   return Worth{
                       next != nullptr ? next->uppers[*again++] : tail_after(x, known, a, o, beyond).upper,
                       0};
                 })
              .value;
    }
  }

  const M& model_;
  int horizon_;
  ExactOptions options_;
  TailBounds tail_;
  B prior_;
  std::size_t belief_words_;
  std::size_t words_;  // of a key: the packed belief, then the state unless there is only one
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory_ =
      std::make_unique<std::pmr::monotonic_buffer_resource>(large_arrays());
  std::vector<Layer> layers_;  // [step]
  std::uint64_t states_ = 0;
};

}  // namespace assay
