#include "report/shown_runs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "problem/problem_identity.hpp"

namespace assay {
namespace {

std::string without_defaults(const std::string& canonical,
                             const std::function<std::string(const std::string&)>& canonical_of) {
  try {
    const Spec spec = parse_spec(canonical);
    std::string base = spec.name;
    for (const Spec::Setting& s : spec.settings) {
      // A preset changes the defaults of all other parameters.
      if (s.key == "preset") base += "(preset=" + s.value + ")";
    }
    const Spec defaults = parse_spec(canonical_of(base));
    const Spec first = parse_spec(canonical_of(spec.name));
    std::string settings;
    for (std::size_t i = 0; i < spec.settings.size(); ++i) {
      const Spec::Setting& s = spec.settings[i];
      const Spec& usual = s.key == "preset" ? first : defaults;
      if (i < usual.settings.size() && usual.settings[i].value == s.value) continue;
      settings += (settings.empty() ? "" : ",") + s.key + "=" + s.value;
    }
    return settings.empty() ? spec.name : spec.name + "(" + settings + ")";
  } catch (const UsageError&) {
    return canonical;
  }
}

}  // namespace

std::string short_method_name(const std::string& canonical) {
  return without_defaults(canonical, [](const std::string& spec) { return make_method(spec)->name(); });
}

std::string short_family_name(const std::string& canonical) {
  return without_defaults(canonical, [](const std::string& spec) { return make_problem(spec)->name(); });
}

std::vector<ShownProblem> shown_problems(const RunStore& store,
                                         const std::vector<std::unique_ptr<Experiment>>& experiments) {
  std::vector<ShownProblem> all;
  const auto show = [&](const RunSettings& s, const RunLabel& label, bool known, RunStore::Id id) {
    const auto same_problem = [&](const ShownProblem& p) {
      return p.title == label.title && p.family == s.family && p.episodes == s.episodes &&
             p.test_seed == s.test_seed;
    };
    auto problem = std::ranges::find_if(all, same_problem);
    if (problem == all.end()) {
      all.push_back({label.title, s.family, s.episodes, s.test_seed, known, {}});
      problem = all.end() - 1;
    }
    auto method = std::ranges::find_if(problem->methods, [&](const ShownMethod& m) {
      return m.label == label.label && m.method == s.method;
    });
    if (method == problem->methods.end()) {
      problem->methods.push_back({label.label, s.method, label.statistic, {}});
      method = problem->methods.end() - 1;
    }
    method->runs.push_back(id);
  };

  std::set<RunStore::Id> seen;
  for (const std::unique_ptr<Experiment>& experiment : experiments) {
    for (std::size_t i = 0; i < experiment->runs().size(); ++i) {
      const RunSettings settings = experiment->runs()[i].settings();
      const std::optional<RunStore::Id> id = store.find(settings);
      if (!id || !seen.insert(*id).second) continue;
      const RunLabel label = experiment->label(i);
      if (!label.title.empty()) show(settings, label, true, *id);
    }
  }
  std::map<std::string, std::string> names;  // a cache: thousands of runs share a few names
  const auto named = [&](const std::string& canonical, const auto& shorten) {
    const auto [at, fresh] = names.try_emplace(canonical);
    if (fresh) at->second = shorten(canonical);
    return at->second;
  };
  std::map<std::string, std::string> families;  // by identity; a file may have moved
  for (const RunStore::Id id : store.runs()) {
    if (seen.contains(id)) continue;
    RunSettings s = store.settings(id);
    const std::string& family = families.try_emplace(problem_identity(s.family), s.family).first->second;
    // Versions that distinguished paths have repeated runs.
    if (family != s.family && store.find(s) != id) continue;
    s.family = family;
    show(s, {named(s.family, short_family_name), named(s.method, short_method_name)}, false, id);
  }
  return all;
}

}  // namespace assay
