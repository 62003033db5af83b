// Outcomes as CSV: what the lines mean, whatever their order, and what is said of those that mean nothing.
#include "files/outcome_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "assay/core/rng.hpp"
#include "core/utf8.hpp"
#include "files/csv_lines.hpp"
#include "files/name_index.hpp"
#include "support/complaint.hpp"

namespace assay::files {
namespace {

using test::complaint;
using test::contains;
using Names = std::vector<std::string>;
using Shown = std::vector<std::pair<int, int>>;

struct ReadTable {
  TableFamily family;
  Names signs;
  Shown shown;
};

ReadTable read_table(const std::string& text, const Names& states = {"a", "b"},
                     const Names& actions = {"go", "wait"}, const Names& environments = {"one", "two"},
                     Names signs = {}) {
  TableBuilder builder(states, actions);
  builder.start(0);
  for (const std::string& name : environments) builder.environment(name);
  Shown shown = read_outcome_table(text, "t.csv", {&states, &actions, &environments}, signs, builder);
  builder.signs(signs);
  return {builder.build(), signs, shown};
}

std::string wrong(const std::string& text) {
  return complaint([&] { read_table(text); });
}

TEST(OutcomeTables, MeanWhatTheirLinesSay) {
  const ReadTable table = read_table(
      "# a comment\n"
      "\n"
      "shows,state,action,environment,next,probability,reward\r\n"
      "red,a,go,one,b,0.25,1.5\r\n"
      ",b,go,*,,,\n"
      "  # another, with a comma\n"
      " \t \n"
      "\"bl\"\"u,e\"  ,a , \"go\" ,one,a, 0.75 ,-2e0\n"
      "red,a,go,two,b,+1,1.5\n"
      "red,b,arrive,,b,1,7");
  const TableFamily& f = table.family;
  EXPECT_EQ(table.signs, (Names{"red", "bl\"u,e"}));
  EXPECT_EQ(table.shown, (Shown{{0, 0}, {1, kArrive}}));
  using Row = std::vector<TableFamily::Possibility>;
  const auto row = [&](int x, int a, int e) { return Row(f.row(x, a, e).begin(), f.row(x, a, e).end()); };
  EXPECT_EQ(row(0, 0, 0), (Row{{0.25, {1, 1.5, {0}}}, {0.75, {0, -2, {1}}}}));
  EXPECT_EQ(row(0, 0, 1), (Row{{1, {1, 1.5, {0}}}}));
  for (const int e : {0, 1}) {
    EXPECT_EQ(row(1, 0, e), (Row{{1, {1, 0, {}}}}));
    EXPECT_EQ(row(1, kArrive, e), (Row{{1, {1, 7, {0}}}}));
    EXPECT_EQ(row(0, kArrive, e), (Row{{1, {0, 0, {}}}}));
    EXPECT_EQ(row(0, 1, e), Row{});
  }
  EXPECT_EQ(f.sign_name(1), "bl\"u,e");
  EXPECT_EQ(f.sign_name(2), "sign 2");
}

TEST(OutcomeTables, AddToTheSignsThatAreKnown) {
  const ReadTable table = read_table("state,action,shows\na,go,y\nb,go,x\nb,wait,z\n", {"a", "b"},
                                     {"go", "wait"}, {"e"}, {"x", "y"});
  EXPECT_EQ(table.signs, (Names{"x", "y", "z"}));
  EXPECT_EQ(table.family.row(0, 0, 0)[0].outcome.observation, Observation{1});
  EXPECT_EQ(table.family.row(1, 0, 0)[0].outcome.observation, Observation{0});
  EXPECT_EQ(table.family.row(1, 1, 0)[0].outcome.observation, Observation{2});
}

TEST(OutcomeTables, BeginWithWhatSpreadsheetsWrite) {
  EXPECT_EQ(wrong("\xef\xbb\xbfstate,action\r\na,go\r\nb,go\r\n"), "");
  EXPECT_EQ(wrong("\"state\",\"action\"\na,go\n\"b\",\"go\""), "");
}

TEST(OutcomeTables, MayHaveNamesOfSeveralLines) {
  const ReadTable table = read_table("state,action\n\"a\nb\",go\n", {"a\nb"}, {"go"}, {"e"});
  EXPECT_TRUE(table.family.allowed(0, 0));
  EXPECT_EQ(
      complaint([] { read_table("state,action\n\"a\nb\",go\nx,go", {"a\nb"}, {"go"}, {"e"}); }).substr(0, 8),
      "t.csv:4:");
}

// Against the builder, with the lines in any order, names that are numbers or not, and environments of their
// own besides what is said of all.
TEST(OutcomeTables, AreTheSameInAnyOrder) {
  Rng rng(11);
  for (int round = 0; round < 60; ++round) {
    const auto some = [&](int most) {
      return 1 + static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(most)));
    };
    const std::string prefix = round % 3 == 0 ? "" : round % 3 == 1 ? "s" : "a, \"long\" name ";
    const auto named = [&](int count) {
      Names names;
      for (int i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
      return names;
    };
    const Names states = named(some(30)), actions = named(some(4)), environments = named(some(5));
    const Names signs = {"x", "y", "z"};
    TableBuilder builder(states, actions);
    builder.start(0).signs(signs);
    for (const std::string& name : environments) builder.environment(name);
    const auto quoted = [](const std::string& name) {
      std::string text = "\"";
      for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
      return text + "\"";
    };
    Names lines;
    const auto say = [&](int x, int a, int e) {
      std::vector<TableBuilder::Possibility> all;
      const int count = some(4);  // of equal chance, and all different: the order of lines leaves no trace
      for (int i = 0; i < count; ++i) {
        const int next = a == kArrive ? x : static_cast<int>(uniform_index(rng, states.size()));
        const double reward = i + 0.5 * some(2);
        const int sign = some(4) - 2;
        all.push_back({1.0 / count, {next, reward, sign < 0 ? Observation{} : Observation{sign}}});
        lines.push_back(
            fmt::format("{},{},{},{},{},{},{}", reward, quoted(states[static_cast<std::size_t>(next)]),
                        quoted(states[static_cast<std::size_t>(x)]),
                        a == kArrive ? "arrive" : quoted(actions[static_cast<std::size_t>(a)]), 1.0 / count,
                        sign < 0 ? "" : signs[static_cast<std::size_t>(sign)],
                        e == TableBuilder::kEvery ? some(2) == 1 ? "*" : ""
                                                  : quoted(environments[static_cast<std::size_t>(e)])));
      }
      builder.outcome(x, a, all, e);
    };
    for (int x = 0; x < static_cast<int>(states.size()); ++x) {
      for (int a = kArrive; a < static_cast<int>(actions.size()); ++a) {
        const bool common = some(2) == 1;
        if (common) say(x, a, TableBuilder::kEvery);
        for (int e = 0; e < static_cast<int>(environments.size()); ++e) {
          if (!common || some(3) == 1) say(x, a, e);
        }
      }
    }
    for (std::size_t i = lines.size(); i-- > 1;) std::swap(lines[i], lines[uniform_index(rng, i + 1)]);
    std::string text = "reward,next,state,action,probability,shows,environment\n";
    for (const std::string& line : lines) text += line + "\n";
    const TableFamily read = read_table(text, states, actions, environments, signs).family;
    const TableFamily built = builder.build();
    for (int x = 0; x < built.states(); ++x) {
      for (int a = kArrive; a < built.actions(); ++a) {
        for (int e = 0; e < static_cast<int>(environments.size()); ++e) {
          const auto sorted = [&](const TableFamily& f) {
            std::vector<TableFamily::Possibility> all(f.row(x, a, e).begin(), f.row(x, a, e).end());
            std::ranges::sort(all, {}, [](const auto& p) {
              return std::tuple(p.outcome.reward, p.outcome.next, p.outcome.observation);
            });
            return all;
          };
          ASSERT_EQ(sorted(read), sorted(built)) << "round " << round << ", " << x << " " << a << " " << e;
        }
      }
    }
  }
}

TEST(OutcomeTables, ComplainWithTheirLine) {
  EXPECT_TRUE(contains(wrong(""), "t.csv:1: there is no header; the first line names the columns"));
  EXPECT_TRUE(contains(wrong("# only\n\n"), "there is no header"));
  EXPECT_TRUE(contains(wrong("\nstate,acton\n"), "t.csv:2: unknown column 'acton'; did you mean 'action'?"));
  EXPECT_TRUE(contains(wrong("a,go,1\n"), "unknown column 'a'"));
  EXPECT_TRUE(contains(wrong("state,action,state\n"), "the column state is there twice"));
  EXPECT_TRUE(contains(wrong("state,next\n"), "t.csv:1: the header has no column action"));
  EXPECT_TRUE(contains(wrong("action\n"), "the header has no column state"));
  const std::string head = "state,action,environment,next,probability,reward,shows\n";
  const auto line = [&](const std::string& text) {
    return wrong(head + "a,go,,,,,\n" + text + "\nb,go,,,,,\n");
  };
  EXPECT_EQ(line("b,wait,,,,,"), "");
  EXPECT_TRUE(
      contains(line("a,go,,,,"), "t.csv:3: 6 fields, but the header has 7 columns; empty fields need"));
  EXPECT_TRUE(contains(line("a,go,,,,,,"), "t.csv:3: 8 fields"));
  EXPECT_TRUE(contains(line("A,go,,,,,"), "t.csv:3: unknown state 'A'; did you mean 'a'?"));
  EXPECT_TRUE(contains(line("a,gp,,,,,"), "t.csv:3: unknown action 'gp'; did you mean 'go'?"));
  EXPECT_TRUE(contains(line("a,go,tow,,,,"), "t.csv:3: unknown environment 'tow'; did you mean 'two'?"));
  EXPECT_TRUE(contains(line("a,go,,c,,,"), "t.csv:3: unknown state 'c'"));
  EXPECT_TRUE(contains(line(",go,,c,,,"), "t.csv:3: the state is missing"));
  EXPECT_TRUE(contains(line("a,,,,,,"), "t.csv:3: the action is missing"));
  EXPECT_TRUE(contains(line("a,arrive,,b,,,"), "t.csv:3: arriving leads elsewhere"));
  for (const char* none : {"x", "1x", "0,5", "+-1", "0x1", "--1", "1e", "."}) {
    EXPECT_TRUE(contains(line(fmt::format("a,go,,,,\"{}\",", none)),
                         fmt::format("t.csv:3: reward is '{}'; it should be a number such as 0.25", none)))
        << none;
  }
  for (const char* large : {"inf", "-inf", "nan", "1e400", "1e10", "-1e10"}) {
    EXPECT_TRUE(contains(
        line(fmt::format("a,go,,,,{},", large)),
        fmt::format("t.csv:3: reward = {} is out of range; it is from -1000000000 to 1000000000", large)))
        << large;
  }
  EXPECT_TRUE(
      contains(line("a,wait,,,-0.1,,"), "t.csv:3: probability = -0.1 is out of range; it is from 0 to 1"));
  EXPECT_TRUE(contains(line("a,wait,,,1.1,,"), "t.csv:3: probability = 1.1 is out of range"));
  EXPECT_TRUE(contains(line("a,wait,,,,,\xff"), "t.csv:3: shows is '\\xff', which is not UTF-8"));
  EXPECT_TRUE(contains(line("a,wait,,,,,\"x"), "t.csv:3: a quote is opened here and never closed"));
  EXPECT_TRUE(contains(line("a,wait,,,,,\"x\"y"), "t.csv:3: after a closing quote comes a comma"));
}

TEST(OutcomeTables, NameWhatDoesNotSumToOne) {
  const std::string head = "state,action,environment,probability,reward\na,go,,,\nb,go,,,\n";
  EXPECT_EQ(wrong(head + "a,wait,two,0.5,1\na,wait,one,0.5,1\na,wait,one,0.5,2\na,wait,two,0.4,2\n"),
            "t.csv:4: 'wait' at 'a' in environment 'two': the probabilities of 2 lines sum to 0.9, not to 1");
  EXPECT_EQ(wrong(head + "b,arrive,*,0.5,1\n"),
            "t.csv:4: arriving at 'b' in all environments: the probabilities of 1 line sum to 0.5, not to 1");
  EXPECT_EQ(wrong(head + "a,go,,,1\n"),
            "t.csv:2: 'go' at 'a' in all environments: the probabilities of 2 lines sum to 2, not to 1");
  EXPECT_EQ(wrong(head + "a,wait,,0.333333,1\na,wait,,0.333333,2\na,wait,,0.333333,3\n"), "");
  EXPECT_TRUE(contains(wrong("state,action,environment\na,go,one\nb,go,\n"),
                       "'go' at 'a' is known in 1 of 2 environments"));
}

TEST(NameIndices, FindWhatAMapFinds) {
  Rng rng(3);
  for (int round = 0; round < 30; ++round) {
    Names names;
    std::map<std::string, int> map;
    const auto draw = [&] {
      const std::uint64_t number = uniform_index(rng, 200);
      return round % 2 == 0 ? std::to_string(number) : "0" + std::to_string(number);
    };
    if (round % 3 == 0) {
      for (int i = 0; i < round; ++i) map.emplace(names.emplace_back(std::to_string(i)), i);
    }
    NameIndex index(names);
    for (int i = 0; i < 300; ++i) {
      const std::string name = draw();
      const auto known = map.find(name);
      ASSERT_EQ(index.find(name), known == map.end() ? -1 : known->second) << name;
      if (known != map.end()) continue;
      map.emplace(name, static_cast<int>(names.size()));
      names.push_back(name);
      index.add_last();
    }
    EXPECT_EQ(index.find(""), -1);
    EXPECT_EQ(index.find("99999999999999999999"), -1);
  }
  const Names numbers = {"0", "1", "2"};
  NameIndex index(numbers);
  EXPECT_EQ(index.find("2"), 2);
  EXPECT_EQ(index.find("1"), 1);
  for (const char* other : {"01", "+1", "-1", "1 ", "3", "00"}) EXPECT_EQ(index.find(other), -1) << other;
}

TEST(Utf8, IsWhatTheStandardSays) {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                           "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "a\xc3\xa4z"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xbf", "\xc1\xbf", "\xc2", "\xc2z", "\xe0\x9f\xbf", "\xe2\x82",
                          "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
                          "\xf8\x88\x80\x80\x80", "\xff", "a\xf0\x90\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

}  // namespace
}  // namespace assay::files
