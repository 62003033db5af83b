// What does a large problem cost? To load it: transitions as CSV, read into a family, beside the least that
// any reader does: get the bytes from the file, and look at each of them once. To bound it: plans for every
// environment, valued in all of them, for every number of steps to go.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "assay/core/rng.hpp"
#include "files/problem_file.hpp"
#include "solver/bound_search.hpp"
#include "timing.hpp"

namespace {

using assay::bench::best_seconds;

constexpr std::uint64_t kStates = 10'000, kActions = 8, kEnvironments = 20;
constexpr std::uint64_t kTransitions = kStates * kActions * kEnvironments;
constexpr int kRuns = 5;

/// A problem file and its transitions beside it, in a folder that is gone afterwards.
class ProblemOnDisk {
 public:
  ProblemOnDisk()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("assay-bench-load-{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "problem.toml")
        << "horizon = 50\n"
        << names("states", "s", kStates) << names("actions", "a", kActions) << "start = \"s0\"\n"
        << "outcomes = \"outcomes.csv\"\n"
        << environments();
    std::ofstream(folder_ / "outcomes.csv", std::ios::binary) << transitions();
  }
  ~ProblemOnDisk() { std::filesystem::remove_all(folder_); }
  ProblemOnDisk(const ProblemOnDisk&) = delete;
  ProblemOnDisk& operator=(const ProblemOnDisk&) = delete;

  [[nodiscard]] assay::TableFamily load() const {
    const assay::ProblemFile file = assay::read_problem_file((folder_ / "problem.toml").string());
    return std::get<assay::TableFamily>(file.family);
  }

  [[nodiscard]] std::string bytes() const {
    std::string text(std::filesystem::file_size(folder_ / "outcomes.csv"), ' ');
    std::ifstream(folder_ / "outcomes.csv", std::ios::binary)
        .read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
  }

 private:
  static std::string names(const char* key, const char* letter, std::uint64_t count) {
    std::string text = fmt::format("{} = [", key);
    for (std::uint64_t i = 0; i < count; ++i) text += fmt::format("\"{}{}\", ", letter, i);
    return text + "]\n";
  }

  static std::string environments() {
    std::string text;
    for (std::uint64_t e = 0; e < kEnvironments; ++e)
      text += fmt::format("[[environment]]\nname = \"e{}\"\n", e);
    return text;
  }

  /// To anywhere: nothing that is looked up can be guessed from the line before.
  static std::string transitions() {
    assay::Rng rng(1);
    std::string text = "state,action,environment,next,reward,shows\n";
    for (std::uint64_t i = 0; i < kTransitions; ++i) {
      fmt::format_to(std::back_inserter(text), "s{},a{},e{},s{},{},{}\n", i / kEnvironments / kActions,
                     i / kEnvironments % kActions, i % kEnvironments, assay::uniform_index(rng, kStates),
                     static_cast<double>(assay::uniform_index(rng, 200)) / 100,
                     assay::bernoulli(rng, 0.1) ? "red" : "");
    }
    return text;
  }

  std::filesystem::path folder_;
};

std::size_t lines(const std::string& text) {
  std::size_t count = 0;
  const char* end = text.data() + text.size();
  for (const char* at = text.data();
       (at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) != nullptr;
       ++at) {
    ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_file = argc == 3 && std::string(argv[1]) == "--json";
  const ProblemOnDisk problem;
  std::size_t bytes = 0;
  std::size_t counted = 0;
  int states = 0;
  const double limit = best_seconds(kRuns, [&] {
    const std::string text = problem.bytes();
    bytes = text.size();
    counted = lines(text);
  });
  const double load = best_seconds(kRuns, [&] { states = problem.load().states(); });
  const assay::TableFamily family = problem.load();
  std::shared_ptr<const assay::FiniteModel> model;
  const double write_out = best_seconds(
      1, [&] { model = std::make_shared<const assay::FiniteModel>(assay::finite_model(family)); });
  assay::Bounds bounds;
  const double bound = best_seconds(1, [&] {
    const assay::BoundSearch search(model);
    bounds = {search.lower(), search.upper()};
  });
  if (counted != kTransitions + 1 || states != static_cast<int>(kStates)) {
    fmt::print(stderr, "bench: the problem was not loaded\n");
    return 1;
  }
  fmt::print("Loading {} states, {} actions, {} environments from {:.1f} MB (best of {} runs)\n\n", kStates,
             kActions, kEnvironments, static_cast<double>(bytes) / 1e6, kRuns);
  fmt::print("{:<36} {:>8} {:>18} {:>8}\n", "", "seconds", "ns per transition", "ratio");
  const double to_ns = 1e9 / static_cast<double>(kTransitions);
  fmt::print("{:<36} {:>8.3f} {:>18.1f}\n", "bytes from the file, lines counted", limit, limit * to_ns);
  fmt::print("{:<36} {:>8.3f} {:>18.1f} {:>7.1f}x\n", "assay, to a family", load, load * to_ns, load / limit);
  const double steps = static_cast<double>(kTransitions) * family.horizon();
  fmt::print("\nFirst bounds [{:.4f}, {:.4f}] for {} steps\n\n", bounds.lower, bounds.upper,
             family.horizon());
  fmt::print("{:<36} {:>8} {:>18}\n", "", "seconds", "ns per transition");
  fmt::print("{:<36} {:>8.3f} {:>18.1f}\n", "written out for the search", write_out, write_out * to_ns);
  fmt::print("{:<36} {:>8.3f} {:>18.1f}   and step: {:.1f}\n", "bounds", bound, bound * to_ns,
             bound * 1e9 / steps);
  if (!to_file) return 0;
  const nlohmann::ordered_json found = {{"transitions", kTransitions},
                                        {"bytes", bytes},
                                        {"limit_ns_per_transition", limit * to_ns},
                                        {"assay_ns_per_transition", load * to_ns},
                                        {"assay_seconds", load},
                                        {"bounds_seconds", write_out + bound},
                                        {"bounds_ns_per_transition_and_step", bound * 1e9 / steps}};
  std::ofstream(argv[2]) << nlohmann::ordered_json{{"load", found}}.dump(2) << "\n";
}
