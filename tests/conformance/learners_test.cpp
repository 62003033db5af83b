// Every learner on every family and every example file, and every refusal by name.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include "assay/problem/method.hpp"
#include "assay/problem/registry.hpp"
#include "source_dir.hpp"
#include "support/small_problems.hpp"

namespace assay {
namespace {

void for_every_example(const std::function<void(const std::string&, const Problem&)>& check) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(ASSAY_SOURCE_DIR "/examples/problems")) {
    if (entry.path().extension() == ".toml") files.insert(entry.path());
  }
  ASSERT_GE(files.size(), 14U);
  for (const std::filesystem::path& file : files) {
    SCOPED_TRACE(file.filename());
    check(file.filename().string(), *make_problem(file.string()));
  }
}

TEST(Learners, ResumeOnEveryExample) {
  for_every_example([](const std::string&, const Problem& problem) {
    for (const char* name :
         {"pcr(batch=1,samples=4,bound_samples=4)", "td(batch=1)", "vi_td(batch=1)",
          "tabular_pcr(greedy_episodes=1)", "tabular_pcr(cross=policy)",
          "tabular_pcr(cross=counts,solve_every=2)", "tabular_td(greedy_episodes=1)", "dqn(batch=1)"}) {
      SCOPED_TRACE(name);
      const auto method = make_method(name);
      if (!method->objection(problem).empty()) {
        ADD_FAILURE() << method->objection(problem);
        continue;
      }
      const auto whole = method->learner(problem, Rng(4), 1);
      whole->advance();
      const auto resumed = method->learner(problem, Rng(4), 1);
      resumed->restore(whole->save());
      whole->advance();
      resumed->advance();
      EXPECT_EQ(whole->save(), resumed->save());
      EXPECT_EQ(whole->policy_state(), resumed->policy_state());
      const auto policy = method->policy(problem, whole->policy_state(), 1);
      (void)play_episode(problem, *policy, Rng(2));
    }
  });
}

/// All that methods refuse, with the reasons that their needs generate. tests/conformance/refusals.txt is
/// what was refused so far: it should become shorter.
TEST(Methods, RefuseWhatTheListOfRefusalsSays) {
  std::ostringstream found;
  const auto refuse = [&](const std::string& name, const Problem& problem) {
    for (const Entry<Method>& entry : methods().entries()) {
      if (entry.name.starts_with("toy_")) continue;  // of tests
      const std::string why = make_method(entry.small.front())->objection(problem);
      if (!why.empty()) found << entry.name << " on " << name << ": " << why << '\n';
    }
  };
  test::for_every_small_problem([&](const std::string& spec, const Problem& problem) {
    if (!spec.starts_with("toy_")) refuse(spec, problem);
  });
  for_every_example(refuse);
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/conformance/refusals.txt");
  std::ostringstream expected;
  expected << file.rdbuf();
  if (found.str() != expected.str()) std::ofstream("refusals.txt") << found.str();
  EXPECT_EQ(found.str(), expected.str()) << "the present list is refusals.txt in the folder of the build";
}

}  // namespace
}  // namespace assay
