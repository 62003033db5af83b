// auto: the method that `assay solve` uses by default. The exact solver and, with finitely many
// environments, a search for bounds take turns. Where neither finishes, the best of the methods that plan or
// learn is chosen by simulation.
#include <algorithm>
#include <limits>

#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"
#include "core/bytes.hpp"
#include "methods/certified.hpp"
#include "problem/rehearsal.hpp"

namespace assay {
namespace {

struct AutoSettings {
  int max_states = 2'000'000;
  int episodes = 1000;
};

/// Some episodes are for choosing a method and others for its reported return, because the best of several
/// estimates is biased upwards.
constexpr std::uint64_t kChoosing = 0x5eed0f00d5U;
constexpr std::uint64_t kCurve = kChoosing + 1;

class Attempt {
 public:
  Attempt(const Problem& problem, const AutoSettings& settings, const SolveRequest& request)
      : problem_(problem), settings_(settings), request_(request) {}

  Solved make() {
    try {
      solve_beside();
      if (!found_.policy) choose(applicable());
    } catch (const Stopped& stopped) {
      found_.stopped = stopped.reason();
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] const Stop& finding() const { return request_.resources.stop; }

  /// The exact solver and the search take turns, each turn with four times as many beliefs as the one
  /// before. Neither has to wait until the other gives up, and the result depends on numbers of beliefs and
  /// not on the speed of the machine, unless the time runs out.
  void solve_beside() {
    constexpr std::uint64_t kFirst = 30'000;
    constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
    const auto most_states = static_cast<std::uint64_t>(settings_.max_states);
    const std::shared_ptr<const FiniteModel> model = problem_.finite_model();
    std::unique_ptr<CertifyingSearch> search;
    // Can the outcomes be listed? The search for bounds of an endless problem needs no cut.
    bool lists = !(model && problem_.traits().endless);
    for (std::uint64_t most = kFirst; !found_.policy; most *= 4) {
      const bool last = !lists || most >= most_states;
      if (lists) {
        const std::string name = "exact(max_states=" + std::to_string(most_states) + ")";
        try {
          found_ = solve_exactly(problem_, name, std::min(most, most_states), request_,
                                 finding().within(finding().seconds_left() / 2));
          return;
        } catch (const LimitError&) {
          finding().check();  // more beliefs than this turn allows, or more than its share of time
        } catch (const UsageError&) {
          lists = false;
        }
      }
      if (model && !search) search = std::make_unique<CertifyingSearch>(model, request_);
      if (search && (search->run(last ? kNoLimit : most) || last)) {
        found_ = search->found();
        return;
      }
      if (last) return;
    }
  }

  /// The methods that are tried where nothing is certified: planning for the expected environment, planning
  /// for a drawn environment, and the best of those that learn or search at every step.
  [[nodiscard]] std::vector<std::string> applicable() const {
    std::vector<std::string> methods;
    const auto add_first_of = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        if (!make_method(name)->objection(problem_).empty()) continue;
        methods.push_back(name);
        return;
      }
    };
    add_first_of({"vi_greedy", "bayes_greedy"});
    add_first_of({"vi_thompson", "thompson"});
    add_first_of({"pcr", "pcr_search"});
    return methods;
  }

  /// Chooses the best of several methods by simulation.
  void choose(const std::vector<std::string>& methods) {
    double best = -std::numeric_limits<double>::infinity();
    StopReason stopped = StopReason::kNone;
    for (std::size_t i = 0; i < methods.size(); ++i) {
      // The last method learns the longest and gets the time that the others leave.
      SolveRequest share = request_;
      if (i + 1 < methods.size()) {
        share.resources.stop = finding().within(kTrialShare * finding().seconds_left());
      }
      Solved tried = make_method(methods[i])->solve(problem_, share);
      if (tried.stopped != StopReason::kNone) stopped = tried.stopped;
      if (stopped == StopReason::kAsked) break;
      if (!tried.policy) continue;
      const double value = trial(methods[i], *tried.policy, share.resources.stop);
      if (!(value > best)) continue;
      best = value;
      found_ = std::move(tried);
    }
    found_.stopped = stopped;
  }

  /// The mean return of a method; -infinity if it is too slow to be tried.
  double trial(const std::string& method, const Policy& policy, const Stop& share) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (request_.watch) request_.watch({"trying " + method, kNone, kNone, 0});
    // Learners take all of their share of time. The trial then gets a part of what is left of the whole.
    const Stop stop =
        share.seconds_left() > 0 ? share : request_.whole.within(kTrialShare * request_.whole.seconds_left());
    const Rehearsal played = rehearse(problem_, policy, {},
                                      {.rng = request_.rng.split(kChoosing),
                                       .episodes = std::min(settings_.episodes, request_.episodes),
                                       .threads = request_.resources.threads,
                                       .stop = stop});
    double sum = 0;
    for (const double earned : played.returns) sum += earned;
    return played.returns.empty() ? -std::numeric_limits<double>::infinity()
                                  : sum / static_cast<double>(played.returns.size());
  }

  static constexpr double kTrialShare = 0.2;

  const Problem& problem_;
  const AutoSettings& settings_;
  const SolveRequest& request_;
  Solved found_;
};

/// Which method was chosen, and what it learned: the state of `auto` that is stored.
struct Chosen {
  std::string method, state;
};

std::string encode(const Chosen& chosen) {
  ByteWriter bytes;
  bytes.text(chosen.method);
  bytes.text(chosen.state);
  return bytes.take();
}

Chosen decode(std::string_view state) {
  ByteReader bytes(state, "the choice of auto");
  Chosen chosen;
  chosen.method = bytes.text();
  chosen.state = bytes.text();
  bytes.expect_end();
  return chosen;
}

/// Everything together is one epoch.
class AutoLearner final : public Learner {
 public:
  AutoLearner(const Problem& problem, const AutoSettings& settings, const SolveRequest& request)
      : problem_(problem), settings_(settings), request_(request) {}

  int epochs() const override { return 1; }
  int done() const override { return state_.empty() ? 0 : 1; }
  EpochReport advance() override {
    const Solved solved = Attempt(problem_, settings_, request_).make();
    if (!solved.policy) throw Stopped(solved.stopped);
    state_ = encode({solved.method, solved.state});
    return {.mean_return = mean_return(*solved.policy)};
  }
  double seconds_per_epoch() const override { return 1; }
  std::string save() const override { return state_; }
  void restore(std::string_view state) override {
    if (!state.empty()) (void)decode(state);
    state_ = state;
  }
  std::string policy_state() const override { return state_; }

 private:
  /// The mean return of a few episodes, for the learning curve.
  [[nodiscard]] double mean_return(Policy& policy) const {
    constexpr std::uint64_t kEpisodes = 20;
    double sum = 0;
    for (std::uint64_t i = 0; i < kEpisodes; ++i) {
      sum += play_episode(problem_, policy, request_.rng.split(kCurve).split(i)).undiscounted;
    }
    return sum / kEpisodes;
  }

  const Problem& problem_;
  AutoSettings settings_;
  SolveRequest request_;
  std::string state_;
};

class AutoMethod final : public Method {
 public:
  explicit AutoMethod(const AutoSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override { return {Need::kStillHidden}; }
  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng,
                                   const Resources& resources) const override {
    SolveRequest request;
    request.rng = rng;
    request.resources = resources;
    return std::make_unique<AutoLearner>(problem, settings_, request);
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& resources) const override {
    const Chosen chosen = decode(state);
    std::unique_ptr<Method> method;
    try {
      method = make_method(chosen.method);
    } catch (const UsageError& error) {
      throw CorruptError(std::string("the choice of auto: ") + error.what());
    }
    return method->policy(problem, chosen.state, resources);
  }

 protected:
  Solved find(const Problem& problem, const SolveRequest& request) const override {
    return Attempt(problem, settings_, request).make();
  }

 private:
  AutoSettings settings_;
};

const RegisterMethod<AutoMethod, AutoSettings> kRegistered(
    "auto",
    "solves exactly or searches for bounds where that is possible, otherwise takes the best of several "
    "methods by "
    "simulation",
    Schema<AutoSettings>(
        {integer("max_states", &AutoSettings::max_states, 1, 2'000'000'000,
                 "largest number of belief states of a problem that is solved exactly"),
         integer("episodes", &AutoSettings::episodes, 1, 1'000'000'000,
                 "simulated episodes of each method that is tried where nothing is certified")}));

}  // namespace
}  // namespace assay
