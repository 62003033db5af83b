#include "assay/laboratory.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "assay/core/detail/kernel.hpp"
#include "assay/draw.hpp"
#include "assay/interrupt.hpp"
#include "assay/json_text.hpp"
#include "assay/progress.hpp"
#include "assay/report.hpp"
#include "core/bytes.hpp"
#include "core/cores.hpp"
#include "experiments/driver.hpp"
#include "lab/atomic_file.hpp"
#include "lab/policy_file.hpp"
#include "lab/run_export.hpp"
#include "problem/signature.hpp"

namespace assay::cli {
namespace {

std::string processor_name() {
  std::ifstream cpus("/proc/cpuinfo");
  cpus.exceptions(std::ios::badbit);  // so that a failure is not taken for the end of the file
  for (std::string line; std::getline(cpus, line);) {
    if (!line.starts_with("model name")) continue;
    return printable(line.substr(std::min(line.size(), line.find(':') + 2)));
  }
  return "unknown processor";
}

RunContext context_of_this_machine() {
  const Kernel kernel = default_kernel();
  return {ASSAY_VERSION, ASSAY_COMMIT, fmt::format("{}, {} cores", processor_name(), usable_cores()),
          kernel_name(kernel), fmt::format("{:016x}", signature(kernel, 1).hash)};
}

/// A file name that people recognise and that no two runs share.
std::string policy_name(const RunSettings& s) {
  const std::string all = fmt::format("{} {} {} {} {}", s.family, s.method, s.seed, s.episodes, s.test_seed);
  return fmt::format("{}-{}-seed{}-{:08x}.policy", short_name(s.method), short_name(s.family), s.seed,
                     checksum(all) >> 32U);
}

std::vector<LeftOut> left_out(const std::vector<std::unique_ptr<Experiment>>& experiments) {
  std::vector<LeftOut> all;
  for (const auto& experiment : experiments) {
    for (LeftOut& one : experiment->left_out()) all.push_back(std::move(one));
  }
  return all;
}

std::string reasons(const std::vector<LeftOut>& all) {
  std::string text;
  for (const LeftOut& one : all) text += (text.empty() ? "" : "; ") + one.spec + ": " + one.why;
  return text;
}

/// Writes the policy files that do not exist yet: a policy file is never written twice.
void write_policies(const std::vector<Run>& runs, const RunStore& store) {
  const std::filesystem::path folder = store.folder() / "policies";
  remove_abandoned(folder);
  for (const Run& run : runs) {
    if (!is_finished(store, run)) continue;
    const RunStore::Id id = *store.find(run.settings());
    const RunSettings settings = store.settings(id);  // with the path under which the run was first made
    const std::optional<std::string> state = store.policy_state(id);
    if (!state || state->empty()) continue;
    const std::filesystem::path file = folder / policy_name(settings);
    if (name_is_taken(file)) continue;
    create_folder(folder);
    const auto epochs = static_cast<int>(store.epochs(id).size());
    save_policy(file, {settings.family, settings.method, settings.seed, epochs, *state});
  }
}

std::string timed_report(const std::vector<std::unique_ptr<Experiment>>& experiments, const RunStore& store) {
  std::string text;
  for (const auto& experiment : experiments)
    text += (text.empty() ? "" : "\n") + experiment->report(store, 0, true);
  return text;
}

/// Where the terminal is too narrow, tables are printed in pieces and sentences on several lines. Times are
/// included, because output on a terminal need not be reproducible.
std::string fitted_report(const std::vector<std::unique_ptr<Experiment>>& experiments, const RunStore& store,
                          std::size_t width) {
  std::string fitted;
  for (const auto& experiment : experiments) {
    fitted += fitted.empty() ? "" : "\n";
    std::istringstream lines(experiment->report(store, width, true));
    for (std::string line; std::getline(lines, line);) fitted += wrapped(line, 0, width) + "\n";
  }
  return fitted;
}

/// The exported results of the runs that were requested.
nlohmann::ordered_json results_json(const std::vector<Run>& runs, const RunStore& store,
                                    const std::vector<LeftOut>& missing, const std::string& report,
                                    const std::string& page) {
  std::ifstream file(store.folder() / "runs.json");
  const nlohmann::ordered_json all = nlohmann::ordered_json::parse(file);
  std::vector<RunSettings> wanted;  // with the path under which the run was first made
  for (const Run& run : runs) {
    if (const std::optional<RunStore::Id> id = store.find(run.settings()))
      wanted.push_back(store.settings(*id));
  }
  const auto asked = [&](const nlohmann::ordered_json& one) {
    const RunSettings settings{one.at("family"), one.at("method"), one.at("seed"), one.at("episodes"),
                               one.at("test_seed")};
    return std::ranges::find(wanted, settings) != wanted.end();
  };
  nlohmann::ordered_json made = nlohmann::ordered_json::array();
  for (const nlohmann::ordered_json& one : all.at("runs")) {
    if (asked(one)) made.push_back(one);
  }
  nlohmann::ordered_json without = nlohmann::ordered_json::array();
  for (const LeftOut& one : missing) without.push_back({{"method", one.spec}, {"why", one.why}});
  return {{"folder", store.folder().string()},
          {"page", page},
          {"runs", made},
          {"left_out", without},
          {"report", report}};
}

}  // namespace

void add_lab(Options& options, LabSettings& lab) {
  options.text("--out", lab.out, "folder of the results; finished runs in it are not repeated");
  options.flag("--resume", lab.resume, "continue runs that were interrupted");
  options.real("--checkpoint-seconds", lab.checkpoint_seconds, 0, 1e6,
               "seconds between checkpoints; never changes the result", "a number of seconds");
  add_threads(options, lab.threads);
  add_json(options, lab.json);
}

void carry_out(const std::vector<std::unique_ptr<Experiment>>& experiments, const LabSettings& settings,
               const Streams& streams) {
  std::vector<Run> runs;
  for (const auto& experiment : experiments) {
    runs.insert(runs.end(), experiment->runs().begin(), experiment->runs().end());
  }
  RunStore store(settings.out, RunStore::Mode::kReadWrite);
  const std::size_t interrupted = interrupted_runs(runs, store);
  if (interrupted > 0 && !settings.resume) {
    throw UsageError(
        fmt::format("{} holds {} of these runs unfinished: add --resume to go on with them, or name another "
                    "folder with --out",
                    settings.out, interrupted));
  }
  for (const auto& experiment : experiments) experiments::keep_source(*experiment, store);
  {
    ProgressLine line(streams);
    LabOptions options;
    options.threads = settings.threads;
    options.checkpoint_seconds = settings.checkpoint_seconds;
    options.context = context_of_this_machine();
    options.watch = [&](const LabProgress& progress) { line.show(progress); };
    options.failed = [&](const Run& run, const std::string& why) {
      auto number = static_cast<std::size_t>(&run - runs.data());
      auto of = experiments.begin();
      for (; number >= (*of)->runs().size(); ++of) number -= (*of)->runs().size();
      return (*of)->leave_out(number, why);
    };
    const InterruptWatch interrupts;
    options.stop = Stop({.asked = InterruptWatch::interrupted});
    make_runs(runs, store, options);
  }
  const std::vector<LeftOut> missing = left_out(experiments);
  if (std::ranges::none_of(runs, [&](const Run& run) { return is_finished(store, run); })) {
    throw LimitError(reasons(missing));
  }
  std::string report;
  for (const auto& experiment : experiments) {
    const std::string one = experiment->report(store);
    store.put_artifact(experiment->name(), one);
    report += (report.empty() ? "" : "\n") + one;
  }
  write_file(store.folder() / "report.txt", report);
  // Times are in a file of their own, because they are never the same twice.
  const std::string timed = timed_report(experiments, store);
  if (timed != report) write_file(store.folder() / "times.txt", timed);
  export_runs(store, store.folder());
  write_policies(runs, store);
  const std::string page = (store.folder() / "report.html").string();
  if (settings.json) {
    write_page(store, page, settings.threads);
    print_json(streams, results_json(runs, store, missing, report, page));
  } else {
    fmt::print(streams.out, "{}",
               streams.width == 0 ? report : fitted_report(experiments, store, streams.width));
    streams.out.flush();
    write_page(store, page, settings.threads);
    fmt::print(streams.err,
               "{}: report.txt,{} runs.csv, epochs.csv, episodes.csv, runs.json, assay.db, policies\n",
               settings.out, timed != report ? " times.txt," : "");
    fmt::print(streams.out, "\n{}\n", page);
  }
  if (!missing.empty()) {
    throw LimitError(
        fmt::format("{} of the methods could not be compared: {}", missing.size(), reasons(missing)));
  }
}

void add_comparison(Options& options, ComparisonSettings& c) {
  add_problem(options, c.family);
  options.number("--episodes", c.episodes, 2, 100'000'000, "test episodes, the same for all methods");
  options.number("--seed", c.seed, 0, kAnySeed / 2, "seed of the (first) training");
  options.number("--test-seed", c.test_seed, 0, kAnySeed, "seed of the test environments");
  add_lab(options, c.lab);
}

void compare_methods(const ComparisonSettings& settings, std::vector<std::string> methods, int seeds,
                     const Streams& streams) {
  Comparison comparison;
  comparison.family = settings.family;
  comparison.methods = std::move(methods);
  comparison.seeds = seeds;
  comparison.first_seed = settings.seed;
  comparison.episodes = settings.episodes;
  comparison.test_seed = settings.test_seed;
  std::vector<std::unique_ptr<Experiment>> experiments;
  experiments.push_back(comparison_experiment(comparison));
  carry_out(experiments, settings.lab, streams);
}

std::vector<std::string> split_specs(const std::string& text) {
  std::vector<std::string> specs(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      specs.emplace_back();
    } else {
      specs.back() += c;
    }
  }
  for (std::string& spec : specs) {
    const std::size_t first = spec.find_first_not_of(' ');
    if (first == std::string::npos)
      throw UsageError("an empty name in the list of methods '" + printable(text) + "'");
    spec = spec.substr(first, spec.find_last_not_of(' ') - first + 1);
  }
  return specs;
}

}  // namespace assay::cli
