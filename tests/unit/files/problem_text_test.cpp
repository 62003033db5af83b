// Families written as problem files: what is read again is the same problem.
#include "files/problem_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>

#include "assay/solver/exact_solution.hpp"
#include "files/problem_file.hpp"
#include "source_dir.hpp"
#include "support/complaint.hpp"
#include "support/expectimax.hpp"
#include "support/problem_text.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

using test::table_of;

using test::complaint;
using test::contains;

const std::vector<std::string> kNastyNames = {"a",
                                              "plain name",
                                              "\"",
                                              "\\",
                                              "'''",
                                              "\"\"\"",
                                              "\\u0041",
                                              "a\nb",
                                              "\t",
                                              "\r\n",
                                              "\x01",
                                              "\x7f",
                                              "{ x = 1 }",
                                              "[[outcome]]",
                                              "# no comment",
                                              "a.b",
                                              "1",
                                              "0.5",
                                              "nan",
                                              "true",
                                              "1979-05-27",
                                              "=",
                                              ", ",
                                              "\xc3\xa4\xc3\xb6",
                                              "\xe2\x82\xac",
                                              "\xf0\x9f\x90\xaf",
                                              "\xef\xbf\xbf",
                                              "\xc2\x85",
                                              " leading",
                                              "trailing ",
                                              " ",
                                              std::string("a\0b", 3),
                                              "sign 0",
                                              "sign 0, sign 2",
                                              std::string(300, 'x')};

/// The same family with other names, all of them hard to write.
TableFamily with_nasty_names(const TableFamily& family, Rng rng) {
  const auto names = [&](int count) {
    std::vector<std::string> all = kNastyNames;
    for (std::size_t i = all.size(); i-- > 1;) std::swap(all[i], all[uniform_index(rng, i + 1)]);
    all.resize(static_cast<std::size_t>(count));
    return all;
  };
  TableBuilder builder(names(family.states()), names(family.actions()));
  builder.horizon(family.horizon()).discount(family.discount()).signs(names(4));
  for (const Start& start : family.starts()) builder.start(start.state, start.probability);
  const std::vector<double> prior = family.prior();
  const std::vector<std::string> environments = names(static_cast<int>(prior.size()));
  for (std::size_t e = 0; e < prior.size(); ++e) builder.environment(environments[e], prior[e]);
  for (int x = 0; x < family.states(); ++x) {
    for (int a = kArrive; a < family.actions(); ++a) {
      for (int e = 0; e < static_cast<int>(prior.size()); ++e) {
        const auto row = family.row(x, a, e);
        if (!row.empty()) builder.outcome(x, a, {row.begin(), row.end()}, e);
      }
    }
  }
  return builder.build();
}

/// Says how `read` differs from `written`, whose signs it may have renumbered.
std::string difference(const TableFamily& written, const TableFamily& read) {
  constexpr double kRounding = 4e-16;
  if (read.states() != written.states() || read.actions() != written.actions()) return "another size";
  if (read.horizon() != written.horizon() || read.discount() != written.discount()) return "other episodes";
  if (read.prior().size() != written.prior().size()) return "other environments";
  for (int e = 0; e < static_cast<int>(written.prior().size()); ++e) {
    const auto i = static_cast<std::size_t>(e);
    if (read.environment_name(e) != written.environment_name(e)) return "another name of an environment";
    if (std::abs(read.prior()[i] - written.prior()[i]) > kRounding) return "another prior";
  }
  std::map<int, double> starts;
  for (const Start& s : written.starts()) starts[s.state] += s.probability;
  for (const Start& s : read.starts()) starts[s.state] -= s.probability;
  for (const auto& [x, left] : starts) {
    if (std::abs(left) > kRounding) return "other starts";
  }
  std::map<Observation, Observation> signs, back;
  for (int x = 0; x < written.states(); ++x) {
    if (read.state_name(x) != written.state_name(x)) return "another name of a state";
    for (int a = kArrive; a < written.actions(); ++a) {
      if (a != kArrive && read.action_name(a) != written.action_name(a)) return "another name of an action";
      for (int e = 0; e < static_cast<int>(written.prior().size()); ++e) {
        const auto one = written.row(x, a, e);
        const auto other = read.row(x, a, e);
        if (one.size() != other.size()) return "more or fewer possibilities";
        for (std::size_t i = 0; i < one.size(); ++i) {
          const Outcome& o = one[i].outcome;
          const Outcome& p = other[i].outcome;
          if (o.next != p.next || o.reward != p.reward) return "another outcome";
          if (std::abs(one[i].probability - other[i].probability) > kRounding) return "another probability";
          if (o.observation.empty() != p.observation.empty()) return "something else is seen";
          if (signs.try_emplace(o.observation, p.observation).first->second != p.observation ||
              back.try_emplace(p.observation, o.observation).first->second != o.observation) {
            return "signs are mixed up";
          }
        }
      }
    }
  }
  return "";
}

TEST(ProblemTexts, AreReadAsWhatWasWritten) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    TableFamily family = support::random_problem(Rng(seed, 31), {4, 3, 3, 3});
    if (seed % 2 == 0) family = with_nasty_names(family, Rng(seed, 32));
    const std::string text = problem_text(family, "A problem called \"" + std::to_string(seed) + "\"");
    const ProblemFile file = read_problem(text, "written");
    const TableFamily& read = std::get<TableFamily>(file.family);
    ASSERT_EQ(difference(family, read), "") << seed << "\n" << text;
    EXPECT_EQ(file.title, "A problem called \"" + std::to_string(seed) + "\"");
    const double truth = oracle::FiniteExpectimax(family).value();
    ASSERT_NEAR(table_problem("read", read)->exact({})->value(), truth, 1e-9 * std::max(1.0, std::abs(truth)))
        << text;
    // Once more it is the same text, up to how its numbers were rounded and the names of what is seen.
    ASSERT_EQ(difference(family, table_of(problem_text(read, ""))), "") << seed;
  }
}

TEST(ProblemTexts, CanBeReadByPeople) {
  TableBuilder builder({"corridor", "outside"}, {"listen", "open"});
  builder.horizon(8).discount(0.95).start(0).signs({"growl left", "growl right"});
  for (const char* name : {"left", "right", "nowhere"}) builder.environment(name);
  builder.outcome(0, 0, {{0.85, {0, -1, {0}}}, {0.15, {0, -1, {1}}}});
  builder.outcome(0, 0, {{0.15, {0, -1, {0}}}, {0.85, {0, -1, {1}}}}, 1);
  builder.outcome(0, 1, {{1, {1, 10, {}}}});
  builder.outcome(0, kArrive, {{1, {0, 0.1, {}}}}, 2);
  for (const int a : {0, 1}) builder.outcome(1, a, {{1, {1, 0, {}}}});
  builder.source("ears", {{0, 0}});
  EXPECT_EQ(problem_text(builder.build(), "Tiger"), R"(name = "Tiger"
horizon = 8
discount = 0.95
states = ["corridor", "outside"]
actions = ["listen", "open"]
start = "corridor"
terminal = ["outside"]

[[environment]]
name = "left"
weight = 0.3333333333333333

[[environment]]
name = "right"
weight = 0.3333333333333333

[[environment]]
name = "nowhere"
weight = 0.3333333333333333

[[outcome]]
state = "corridor"
action = "arrive"
environment = "nowhere"
reward = 0.1

[[outcome]]
state = "corridor"
action = "listen"
environment = ["left", "nowhere"]
options = [
  { probability = 0.85, reward = -1, shows = "growl left" },
  { probability = 0.15, reward = -1, shows = "growl right" },
]
source = "ears"

[[outcome]]
state = "corridor"
action = "listen"
environment = "right"
options = [
  { probability = 0.15, reward = -1, shows = "growl left" },
  { probability = 0.85, reward = -1, shows = "growl right" },
]
source = "ears"

[[outcome]]
state = "corridor"
action = "open"
reward = 10
next = "outside"
)");
}

TEST(ProblemTexts, OfTheExamplesAreTheExamples) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ASSAY_SOURCE_DIR) + "/examples/problems")) {
    if (entry.path().extension() != ".toml") continue;
    const ProblemFile file = read_problem_file(entry.path().string());
    const auto* family = std::get_if<TableFamily>(&file.family);
    if (family == nullptr) continue;
    EXPECT_EQ(difference(*family, table_of(problem_text(*family, ""))), "") << entry.path();
  }
}

TEST(ProblemTexts, KeepSourcesAndTellSignsApart) {
  TableBuilder builder({"a"}, {"look", "listen"});
  builder.start(0).signs({"x", "x", "x, x"});
  builder.environment("e");
  builder.outcome(0, 0,
                  {{0.25, {0, 0, {0}}}, {0.25, {0, 0, {1}}}, {0.25, {0, 0, {2}}}, {0.25, {0, 0, {0, 1}}}});
  builder.outcome(0, 1, {{0.5, {0, 0, {7}}}, {0.5, {0, 0, {}}}});
  builder.source("eyes", {{0, 0}}).source("ears", {{0, 1}});
  const TableFamily family = builder.build();
  const TableFamily read = table_of(problem_text(family, ""));
  EXPECT_EQ(difference(family, read), "");
  ASSERT_EQ(read.named_sources().size(), 2U);
  for (const TableFamily::Source& source : read.named_sources()) {
    EXPECT_EQ(source.where, (std::vector<std::pair<int, int>>{{0, source.name == "eyes" ? 0 : 1}}));
  }
}

// The reader takes weights from 1e-12 to 1e12, chances may be smaller.
TEST(ProblemTexts, HoldTheSmallestWeights) {
  TableBuilder builder({"a", "b"}, {"go"});
  builder.start(0, 1e-12).start(1, 1e12);
  builder.environment("e", 1e12);
  builder.environment("f", 1e-12);
  for (const int x : {0, 1}) builder.outcome(x, 0, {{1, {x, 1, {}}}});
  const TableFamily read = table_of(problem_text(builder.build(), ""));
  EXPECT_NEAR(read.prior()[1], 1e-24, 1e-38);
  ASSERT_EQ(read.starts().size(), 2U);
  EXPECT_NEAR(read.starts()[0].probability, 1e-24, 1e-38);
}

TEST(ProblemTexts, RefuseNamesThatMeanSomethingElse) {
  const auto said = [](const std::string& state, const std::string& action, const std::string& environment) {
    TableBuilder builder({state, "other"}, {action});
    builder.start(0).environment(environment);
    for (const int x : {0, 1}) builder.outcome(x, 0, {{1, {0, 1, {}}}});
    return complaint([&] { problem_text(builder.build(), ""); });
  };
  EXPECT_EQ(said("arrive", "a", "arrive"), "");
  EXPECT_TRUE(contains(said("*", "a", "e"), "cannot have a state '*'"));
  EXPECT_TRUE(contains(said("s", "*", "e"), "cannot have an action '*'"));
  EXPECT_TRUE(contains(said("s", "arrive", "e"), "cannot have an action 'arrive'"));
  EXPECT_TRUE(contains(said("s", "a", "*"), "cannot have an environment '*'"));
  EXPECT_TRUE(contains(said("s\xff", "a", "e"), "'s\\xff' is not UTF-8"));
}

}  // namespace
}  // namespace assay
