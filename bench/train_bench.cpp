// What does training cost? Epochs of pcr(preset=paper) on the 7x7 treasure map (10 episodes of 25 steps, 80
// environments for each belief) beside the same in PyTorch, in one run; and where the time of a step goes.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/problem/registry.hpp"
#include "methods/value_learner.hpp"
#include "timing.hpp"

namespace {

using assay::bench::best_seconds;
using nlohmann::ordered_json;

constexpr int kSize = 7;
constexpr int kMiddle = kSize / 2 * kSize + kSize / 2;  // a king has nine moves there
constexpr std::uint64_t kSeed = 1;
constexpr int kFirst = 20;    // epochs that are timed with the tables that they have to make
constexpr int kWarmUp = 200;  // epochs until the tables of nearly all Betas that occur have been made
constexpr int kBlock = 20;    // epochs timed at a time: about as long as one in PyTorch, for like minima
constexpr int kBlocks = 5;
constexpr int kRounds = 3;
constexpr int kTorchWarmUp = 1;
constexpr int kTorchEpochs = 3;
constexpr double kNever = std::numeric_limits<double>::infinity();

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);
}

void lower(double& least, double found) { least = std::min(least, found); }

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds that processes other than this one and its children have used since the machine started.
double seconds_of_others() {
  double seconds = 0;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  // user nice system idle iowait irq softirq steal
  for (const bool busy : {true, true, true, false, false, true, true, true}) {
    double ticks = 0;
    file >> ticks;
    if (busy) seconds += ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  for (const auto whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(whose, &used);
    for (const timeval& t : {used.ru_utime, used.ru_stime}) {
      seconds -= static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    }
  }
  return seconds;
}

struct Task {
  std::unique_ptr<assay::Problem> problem = assay::make_problem(fmt::format("treasure_map(size={})", kSize));
  std::unique_ptr<assay::Method> method = assay::make_method("pcr(preset=paper)");

  [[nodiscard]] std::unique_ptr<assay::Learner> learner(int threads) const {
    return method->learner(*problem, assay::Rng(kSeed), threads);
  }
};

/// From nothing: the model, the tables, the epochs. Only if nobody else holds tables of the same prior.
struct Beginning {
  double first = kNever;    // seconds of kFirst epochs
  double warm_up = kNever;  // and of kWarmUp
  double mean_return = 0;   // over the warm-up
  std::string state;        // after it
};

Beginning begin_training(const Task& task, int threads) {
  Beginning found;
  const auto begin = std::chrono::steady_clock::now();
  const auto learner = task.learner(threads);
  while (learner->done() < kWarmUp) {
    found.mean_return += learner->advance().mean_return / kWarmUp;
    if (learner->done() == kFirst) found.first = seconds_since(begin);
  }
  found.warm_up = seconds_since(begin);
  found.state = learner->save();
  return found;
}

/// Seconds per epoch after the warm-up: the same epochs again and again, so that their tables are there too.
double epoch_seconds(const Task& task, const std::string& state, int threads) {
  // One learner at a time: they would share the cores.
  const auto learner = task.learner(threads);
  const auto train = [&] {
    learner->restore(state);
    for (int i = 0; i < kBlock; ++i) learner->advance();
  };
  return best_seconds(kBlocks, train) / kBlock;
}

/// The same in PyTorch, if there is one. Its threads wait for each other by spinning: where others want the
/// cores too, an epoch takes many times as long.
ordered_json torch(const std::string& style, int threads, int seed) {
  const std::string command = fmt::format(
      "timeout 20 /usr/bin/python3 {}/torch_train.py --size {} --style {} --threads {} --seed {} "
      "--warm-up {} --epochs {}",
      ASSAY_BENCH_DIR, kSize, style, threads, seed, kTorchWarmUp, kTorchEpochs);
  std::string text;
  if (FILE* pipe = popen(command.c_str(), "r"); pipe != nullptr) {
    for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) text += static_cast<char>(c);
    pclose(pipe);
  }
  return ordered_json::parse(text, nullptr, false);
}

/// The situations of 10 episodes of the learned policy.
std::vector<assay::Situation> situations_met(const Task& task, assay::Learner& learner) {
  const auto policy = task.method->policy(*task.problem, learner.policy_state(), 1);
  std::vector<assay::Situation> all;
  for (std::uint64_t i = 0; i < 10; ++i) {
    assay::Rng rng = assay::Rng(kSeed).split(i);
    assay::Episode episode = task.problem->episode(rng.split(0));
    policy->begin(episode.situation());
    while (!episode.done()) {
      all.push_back(episode.situation());
      episode.arrive();
      episode.act(policy->act(episode.situation(), rng));
    }
  }
  return all;
}

/// Seconds of one belief's step, or of one transition.
struct Split {
  double draws = kNever;
  double solve = kNever;
  double valuation = kNever;  // both, and what makes pairs before and averages after the solve
  double scores = kNever;
  double gradient = kNever;
};

void measure_split(const Task& task, const std::string& state, Split& split) {
  const auto learner = task.learner(1);
  learner->restore(state);
  const auto situations = situations_met(task, *learner);
  const assay::ValueSettings settings = assay::paper_settings();
  const assay::ValueModel model(*task.problem, settings);
  const auto samples = static_cast<std::size_t>(settings.samples);
  std::vector<std::unique_ptr<assay::Belief>> beliefs;
  for (const assay::Situation& situation : situations) beliefs.push_back(situation.belief().clone());
  std::uint64_t step = 0;
  const auto next_key = [&] { return assay::DrawKey{kSeed, 0, ++step, 0}; };

  assay::DrawnEnvironments drawn;
  const auto draw_all = [&] {
    for (const auto& belief : beliefs) belief->draw(next_key(), samples, 0, drawn);
  };
  assay::DrawnEnvironments pairs;
  beliefs.back()->draw(next_key(), samples, samples, pairs);
  assay::CrossSolver solver;
  solver.set_moment(assay::CrossSolver::Moment::kBeforeEntry);
  const auto solve_all = [&] {
    for (std::size_t i = 0; i < beliefs.size(); ++i) {
      solver.solve(*pairs.plans, *pairs.worlds, assay::StepsLeft{model.horizon()});
    }
  };
  assay::PlaceValuer valuer = *model.valuer();
  assay::PlaceValues values;
  const auto value_all = [&] {
    for (const auto& belief : beliefs) valuer.value(*belief, model.horizon(), next_key(), values);
  };

  std::vector<float> parameters(model.network().parameters());
  model.network().initialise(assay::Rng(kSeed), parameters);
  assay::ValueView view(model);
  view.look(situations.back().belief(), model.horizon(), next_key(), parameters);
  float sum = 0;
  const auto score_all = [&] {
    for (std::size_t i = 0; i < beliefs.size(); ++i) {
      assay::ValueView::Part best;
      static_cast<void>(view.best_option(kMiddle, best));
      sum += best.squashed;
    }
  };
  std::vector<float> gradient(parameters.size());
  const auto gradient_of_all = [&] {
    for (std::size_t i = 0; i < beliefs.size(); ++i) {
      model.network().add_gradient(parameters, view.seen(), kMiddle, 1e-3F, gradient);
    }
  };

  draw_all();  // makes the tables
  // In turns: one of the lines is a difference, and the clock must not change between its terms.
  const auto met = static_cast<double>(beliefs.size());
  for (int turn = 0; turn < 25; ++turn) {
    lower(split.draws, best_seconds(1, draw_all) / met);
    lower(split.solve, best_seconds(1, solve_all) / met);
    lower(split.valuation, best_seconds(1, value_all) / met);
    lower(split.scores, best_seconds(1, score_all) / met);
    lower(split.gradient, best_seconds(1, gradient_of_all) / met);
  }
  if (!(sum > 0)) fail("scores that are no numbers");  // and so they cannot be left out
}

ordered_json print_split(const Split& split, double step) {
  fmt::print("\nA step of one episode, one thread: microseconds\n\n");
  ordered_json rows;
  const auto row = [&](const std::string& key, const std::string& what, double seconds) {
    fmt::print("{:<58} {:>9.3f} {:>18.0f}%\n", what, seconds * 1e6, 100 * seconds / step);
    rows[key] = seconds * 1e6;
  };
  row("draws", "draws", split.draws);
  row("solve", "cross-values", split.solve);
  row("averaging", "pairs and averages: the rest of a valuation",
      split.valuation - split.draws - split.solve);
  row("scores", "the network's score of nine cells", split.scores);
  row("gradient", "the gradient of one transition", split.gradient);
  row("rest", "worlds, Bayes' rule, the network's inputs, Adam: the rest",
      step - split.valuation - split.scores - split.gradient);
  row("step", "in all, from the time of an epoch", step);
  return rows;
}

void print_ratio(const std::string& what, double ours, double other, const std::string& name) {
  fmt::print("{:<58} {:>9.3f} {:>9.3f} {:>8.1f}x  {}\n", what, ours, other, other / ours, name);
}

std::string counted(int threads) { return fmt::format("{} thread{}", threads, threads > 1 ? "s" : ""); }

/// All that is measured with a number of threads.
struct Measured {
  int threads = 1;
  Beginning beginning{};
  double epoch = kNever;
  struct Torch {
    std::string style;
    std::string version{};
    double epoch = kNever;
    double mean_return = 0;
    int runs = 0;
    bool given_up = false;
  };
  std::vector<Torch> torches = {{"idiomatic"}, {"tuned"}};

  /// For all epochs: those of the warm-up with their tables, the others as they are with tables.
  [[nodiscard]] double all(int epochs) const { return beginning.warm_up + (epochs - kWarmUp) * epoch; }
};

void measure_torch(Measured& m, int seed) {
  for (Measured::Torch& t : m.torches) {
    if (t.given_up) continue;
    const ordered_json found = torch(t.style, m.threads, seed);
    t.given_up = found.is_discarded() || !found.contains("seconds_per_epoch");
    if (t.given_up) continue;
    t.version = found["torch"].get<std::string>();
    lower(t.epoch, found["seconds_per_epoch"].get<double>());
    t.mean_return += found["mean_return"].get<double>();
    ++t.runs;
  }
}

ordered_json print_measured(const Measured& m, const std::vector<Measured>& all, int epochs) {
  ordered_json row = {{"threads", m.threads},
                      {"assay_seconds_per_epoch", m.epoch},
                      {"assay_seconds_first_20_epochs", m.beginning.first},
                      {"assay_seconds_all_epochs", m.all(epochs)},
                      {"assay_mean_return", m.beginning.mean_return},
                      {"torch", ordered_json::array()}};
  for (std::size_t style = 0; style < m.torches.size(); ++style) {
    const Measured::Torch& own = m.torches[style];
    // Who has two cores can leave one alone: PyTorch may use as many threads as it is fastest with.
    const Measured* fastest = &m;
    for (const Measured& other : all) {
      const bool faster = other.torches[style].epoch < fastest->torches[style].epoch;
      if (other.threads < m.threads && faster) fastest = &other;
    }
    const Measured::Torch& t = fastest->torches[style];
    if (t.runs == 0) {
      fmt::print("PyTorch: not measured (is python3-torch installed, is the machine idle?)\n");
      continue;
    }
    print_ratio(fmt::format("ms per epoch, {}", counted(m.threads)), m.epoch * 1e3, t.epoch * 1e3,
                fmt::format("PyTorch {}, {}{}", t.version, t.style,
                            fastest == &m ? "" : fmt::format(", {} as faster", counted(fastest->threads))));
    ordered_json found = {{"style", t.style},
                          {"seconds_per_epoch", t.epoch},
                          {"threads", fastest->threads},
                          {"ratio", t.epoch / m.epoch}};
    if (own.runs > 0) found["mean_return"] = own.mean_return / own.runs;
    row["torch"].push_back(found);
  }
  return row;
}

/// That both train the same: what the episodes of their first epochs return. Prints nothing that was not
/// measured.
void print_returns(const std::vector<Measured>& all) {
  fmt::print("\nMean return: assay {:.2f} in {} epochs", all.front().beginning.mean_return, kWarmUp);
  for (const char* style : {"idiomatic", "tuned"}) {
    double sum = 0;
    int runs = 0;
    for (const Measured& m : all) {
      for (const Measured::Torch& t : m.torches) {
        sum += t.style == style ? t.mean_return : 0;
        runs += t.style == style ? t.runs : 0;
      }
    }
    if (runs > 0) fmt::print(", PyTorch {} {:.2f} in {}", style, sum / runs, runs * kTorchEpochs);
  }
  fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_file = argc == 3 && std::string(argv[1]) == "--json";
  const auto begin = std::chrono::steady_clock::now();
  const double others_before = seconds_of_others();
  const Task task;
  fmt::print("pcr(preset=paper) on treasure_map(size={}), kernel {}; {} epochs to warm up\n\n", kSize,
             assay::kernel_name(assay::default_kernel()), kWarmUp);
  fmt::print("{:<58} {:>9} {:>9} {:>9}\n", "", "assay", "other", "ratio");

  std::vector<Measured> all = {{.threads = 1}, {.threads = 2}};
  for (Measured& m : all) m.beginning = begin_training(task, m.threads);
  const std::string& state = all.front().beginning.state;
  if (all.back().beginning.state != state) fail("the number of threads changes what is learned");

  // From here on somebody holds the tables, and learners that come and go do not make them again.
  const auto tables = task.problem->prior();
  for (const Measured& m : all) epoch_seconds(task, state, m.threads);
  Split split;
  // Round after round, the best of each: the clock of a shared machine goes up and down.
  for (int round = 0; round < kRounds; ++round) {
    measure_split(task, state, split);
    for (Measured& m : all) {
      lower(m.epoch, epoch_seconds(task, state, m.threads));
      measure_torch(m, round + 1);
      lower(m.epoch, epoch_seconds(task, state, m.threads));
    }
  }

  const int epochs = task.learner(1)->epochs();
  ordered_json rows = ordered_json::array();
  for (const Measured& m : all) rows.push_back(print_measured(m, all, epochs));
  fmt::print("\n");
  for (const Measured& m : all) {
    fmt::print("{}: the first {} epochs, making the tables of the Betas, {:.2f} s; {} epochs {:.1f} s\n",
               counted(m.threads), kFirst, m.beginning.first, epochs, m.all(epochs));
  }
  // Two threads need two cores: whoever takes one of them doubles our time and multiplies PyTorch's.
  const double others = (seconds_of_others() - others_before) / seconds_since(begin);
  fmt::print("Other processes kept {:.2f} cores busy meanwhile: 2 threads count only if it is about 0\n",
             others);
  print_returns(all);
  const assay::ValueModel model(*task.problem, assay::paper_settings());
  const ordered_json parts =
      print_split(split, all.front().epoch / (model.settings().batch * model.horizon()));
  if (!to_file) return 0;
  const ordered_json found = {{"kernel", assay::kernel_name(assay::default_kernel())},
                              {"epochs", epochs},
                              {"cores_busy_with_others", others},
                              {"rows", rows},
                              {"step_us", parts}};
  std::ofstream(argv[2]) << ordered_json{{"train", found}}.dump(2) << "\n";
}
