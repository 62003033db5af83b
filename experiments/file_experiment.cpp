#include "experiments/file_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "assay/core/error.hpp"
#include "experiments/reader.hpp"
#include "files/problem_file.hpp"

namespace assay::experiments {
namespace {

/// Runs `work` and adds the place of the text to the UsageErrors that it throws.
template <class Work>
auto at_place(const Placed& text, const Work& work) {
  try {
    return work();
  } catch (const UsageError& error) {
    throw UsageError(text.place + error.what());
  }
}

/// A method learns if it has epochs.
bool learns(const Method& method) {
  const Spec spec = parse_spec(method.name());
  return std::ranges::find(spec.settings, "epochs", &Spec::Setting::key) != spec.settings.end();
}

}  // namespace

std::shared_ptr<const Problem> FileExperiment::problem_of(const Placed& problem) const {
  return at_place(problem, [&]() -> std::shared_ptr<const Problem> {
    const std::filesystem::path folder = std::filesystem::path(common_.path).parent_path();
    if (names_problem_file(problem.text)) return make_problem((folder / problem.text).string());
    return make_problem(problem.text);
  });
}

std::size_t FileExperiment::add_run(const std::shared_ptr<const Problem>& problem, const Placed& method,
                                    std::uint64_t seed, int test_episodes, const RunLabel& label) {
  Run run = at_place(method,
                     [&] { return make_run(problem, method.text, seed, test_episodes, common_.test_seed); });
  const auto [known, fresh] = index_.try_emplace(run.settings(), runs_.size());
  if (fresh) {
    runs_.push_back(std::move(run));
    labels_.push_back(label);
  }
  return known->second;
}

std::vector<std::size_t> FileExperiment::add_runs(const std::shared_ptr<const Problem>& problem,
                                                  const Placed& method, const Values& values,
                                                  const RunLabel& label) {
  Values all = common_.values;
  all.insert(values.begin(), values.end());
  Placed spec = method;
  const bool trained = at_place(method, [&] {
    spec.text = filled(method.text, all);
    return learns(*make_method(spec.text));
  });
  if (!trained) return {add_run(problem, spec, 0, common_.test_episodes, label)};
  spec.text = with_settings(spec.text, filled(common_.training.text, all));
  std::vector<std::size_t> runs;
  for (int seed = 1; seed <= common_.seeds; ++seed) {
    runs.push_back(add_run(problem, spec, static_cast<std::uint64_t>(seed), common_.test_episodes, label));
  }
  return runs;
}

std::string FileExperiment::text_of(const std::string& text, const Values& more) const {
  Values all = common_.values;
  for (const auto& [name, value] : more) all[name] = value;
  all.try_emplace("seeds", fmt::format("{}", common_.seeds));
  all.try_emplace("episodes", fmt::format("{}", common_.test_episodes));
  return filled(text, all);
}

std::string with_settings(const std::string& spec, const std::string& settings) {
  if (settings.empty()) return spec;
  if (!spec.ends_with(')')) return spec + "(" + settings + ")";
  const std::string inside = spec.substr(0, spec.size() - 1);
  return inside + (inside.ends_with('(') ? "" : ",") + settings + ")";
}

std::string objection(const Placed& method, const Problem& problem) {
  return at_place(method, [&] { return make_method(method.text)->objection(problem); });
}

std::vector<double> scores_of(const RunStore& store, const Run& run, Score score) {
  return score == Score::kDiscounted ? discounted_test_returns(store, run) : test_returns(store, run);
}

}  // namespace assay::experiments
