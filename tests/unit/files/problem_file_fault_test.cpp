// Problem files with errors: the messages and the places that they name.
#include <gtest/gtest.h>

#include <array>

#include "assay/core/rng.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;
using test::fault_of;
using test::with;

const std::string kSmallMap = R"(
horizon = 4
episodes = 1
map = """
S.G
"""
[legend]
S = { start = true }
G = { reward = 1, once = true }
)";

using test::kSmallTable;

const std::string kSmallHidden = R"(
horizon = 3
collect = "entering"
actions = ["dig"]
map = "?S?"
[hidden]
letter = "G"
among = "?"
[legend]
S = { start = true }
G = { reward = 1 }
[[outcome]]
state = "S"
action = "dig"
shows = { "G at row 0 column 0" = "x", "G at row 0 column 2" = "y" }
accuracy = 0.9
)";

const std::string kSmallUnknown = R"(
horizon = 3
map = "oSn"
[legend]
S = { start = true, shows = "rewards", looks = 2 }
o = { chance = { beta = [1, 2] }, reward = 5 }
n = { reward = { normal = [0, 1], noise = 2 } }
)";

const std::array<std::string, 4> kReadable = {kSmallMap, kSmallTable, kSmallHidden, kSmallUnknown};

// Whatever bytes are in a file: a problem or a complaint with a place, never a crash.
TEST(ProblemFileFaults, NoBytesCanCrashTheReader) {
  Rng rng(5);
  int understood = 0;
  const std::string alphabet = "={}[]\"'#.,-_ \n\tSGab0159enxyz*";
  for (int round = 0; round < 1500; ++round) {
    std::string text = kReadable[static_cast<std::size_t>(round) % kReadable.size()];
    const auto changes = round % 3 == 0 ? 1 + uniform_index(rng, 6) : 1;
    for (std::uint64_t i = 0; i < changes; ++i) {
      const std::size_t at = uniform_index(rng, text.size());
      switch (uniform_index(rng, 8)) {
        case 0:
          text[at] = alphabet[uniform_index(rng, alphabet.size())];
          break;
        case 1:
          text.insert(at, 1, alphabet[uniform_index(rng, alphabet.size())]);
          break;
        case 2:
          text.erase(at, 1 + uniform_index(rng, 8));
          break;
        case 4:
        case 5:
        case 6: {  // another number: most of these can be read, and reach the later checks
          const std::size_t digit = text.find_first_of("0123456789", at);
          if (digit != std::string::npos) text[digit] = static_cast<char>('0' + uniform_index(rng, 10));
          break;
        }
        default:
          text[at] = static_cast<char>(uniform_index(rng, 256));
          break;
      }
    }
    const std::string said = fault_of(text);
    understood += said.empty() ? 1 : 0;
    EXPECT_TRUE(said.empty() || said.starts_with("f:")) << said;
  }
  EXPECT_GT(understood, 50);  // or the fuzzing would only ever see the first check
  EXPECT_LT(understood, 1400);
}

TEST(ProblemFileFaults, DeepAndHugeOnesAreRefusedOrRead) {
  constexpr std::size_t kDeep = 10'000;
  EXPECT_TRUE(contains(fault_of("a = " + std::string(100'000, '[')), "f:1:"));
  EXPECT_TRUE(contains(fault_of("a = " + std::string(kDeep, '[') + std::string(kDeep, ']')), "f:1:"));
  std::string tables = "a = ";
  std::string dots = "a";
  for (std::size_t i = 0; i < kDeep; ++i) {
    tables += "{ a = ";
    dots += ".a";
  }
  EXPECT_TRUE(contains(fault_of(tables), "f:1:"));
  EXPECT_TRUE(contains(fault_of(dots + " = 1\n" + kSmallMap), "f:1:"));
  EXPECT_TRUE(contains(fault_of("[" + dots + "]\n"), "f:1:"));
  EXPECT_EQ(fault_of("about = \"" + std::string(10'000'000, 'x') + "\"\n" + kSmallMap), "");
  EXPECT_TRUE(contains(fault_of(with(kSmallMap, "S.G", "S." + std::string(2'000'000, 'G'))),
                       "f:4:7: a map of 1 lines"));
}

TEST(ProblemFileFaults, NumbersThatAreNone) {
  for (const char* number : {"nan", "inf", "-inf", "1e300", "1e10"}) {
    const std::string set = std::string("reward = ") + number;
    EXPECT_TRUE(contains(fault_of(with(kSmallMap, "reward = 1", set)), "f:9:16: [legend] G: reward = "))
        << number;
    EXPECT_TRUE(contains(fault_of(with(kSmallTable, "reward = 2", set)), "f:22:10: [[outcome]]: reward = "))
        << number;
  }
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "weight = 3", "weight = -1")), "f:10:10: "));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "weight = 3", "weight = nan")), "f:10:10: "));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "horizon = 3", "horizon = 99999999999999999999")), "f:2:"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "horizon = 3", "horizon = 2000000")), "f:2:11: "));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "horizon = 3", "horizon = 1000\nepisodes = 1001")),
                       "f:3:12: the problem: episodes = 1001 is out of range; it is from 1 to 1000"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "horizon = 3", "horizon = 3.5")), "a whole number"));
  EXPECT_TRUE(contains(fault_of(with(kSmallMap, "G = { reward = 1", "G = { chance = 1.5")),
                       "chance = 1.5 is out of range"));
}

TEST(ProblemFileFaults, ChancesThatDoNotSumToOne) {
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "x = 0.75", "x = 0.5")),
                       "f:18:9: [[outcome]]: the probabilities of shows sum to 0.75, not to 1"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "reward = 2", "options = [ { probability = 0.5 } ]")),
                       "f:19:1: 'go' at 'b': the probabilities sum to 0.5"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "reward = 2", "options = []")), "f:19:1: "));
  EXPECT_TRUE(
      contains(fault_of(with(kSmallTable, "reward = 2", "options = [ { probability = 1 } ]\nnext = \"a\"")),
               "next besides options"));
}

TEST(ProblemFileFaults, KeysAndNamesThatNobodyKnows) {
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "reward = 2", "rewart = 2")),
                       "f:22:1: [[outcome]]: unknown key 'rewart'; did you mean 'reward'?"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "weight = 3", "wheight = 3")),
                       "f:10:1: [[environment]]: unknown key"));
  EXPECT_TRUE(contains(fault_of(with(kSmallHidden, "among", "amon")),
                       "[hidden]: unknown key 'amon'; did you mean 'among'?"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "start = \"a\"", "start = \"c\"")),
                       "f:5:9: the problem: unknown state 'c'"));
  EXPECT_TRUE(
      contains(fault_of(with(kSmallTable, "start = \"a\"", "start = { }")), "f:5:9: start names no state"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "[\"a\", \"b\"]", "[\"a\", \"b\", \"a\"]")),
                       "f:3:10: two states are called 'a'"));
  EXPECT_TRUE(contains(fault_of(with(kSmallTable, "name = \"two\"", "name = \"one\"")),
                       "two environments are called 'one'"));
  EXPECT_TRUE(contains(fault_of(with(kSmallMap, "G = { reward = 1, once = true }",
                                     "G = { start = true, wall = true }\nS = {}")),
                       "f:"));
  EXPECT_TRUE(contains(fault_of(with(kSmallMap, "S = { start = true }", "S = { start = true, wall = true }")),
                       "no state is a start"));
  EXPECT_TRUE(
      contains(fault_of(with(kSmallHidden, "\"entering\"", "\"leaving\"")),
               "f:3:11: collect = \"leaving\"; what a cell has is had on \"arriving\" or \"entering\""));
  EXPECT_TRUE(contains(fault_of("horizon = 2\nstates = 5000\nactions = 2\nstart = "
                                "\"5000\"\n[[outcome]]\nstate = \"*\"\naction = \"*\"\n"),
                       "and 4980 more)"));
}

TEST(ProblemFileFaults, WithADiscountAHorizonMayBeLeftOut) {
  const std::string open = with(kSmallMap, "horizon = 4\nepisodes = 1", "discount = 0.5");
  EXPECT_EQ(test::table_of(open).horizon(), kEndless);
  EXPECT_EQ(episode_steps(test::table_of(open)), 10);  // 2^-10 < 1e-3 < 2^-9
  EXPECT_EQ(episode_steps(test::table_of(with(open, "0.5", "0"))), 1);
  EXPECT_TRUE(contains(fault_of(with(open, "0.5", "1")), "has no horizon; for example horizon = 20"));
}

}  // namespace
}  // namespace assay
