// Whatever text comes in: a problem comes out, or an assay::Error. Fixed seeds; every string is tried and
// counted.
#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <typeinfo>
#include <vector>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/registry.hpp"

namespace assay {
namespace {

constexpr int kStrings = 20000;

/// How strings were taken.
struct Tally {
  int parsed = 0, not_parsed = 0, made = 0, not_made = 0;
};

/// Bytes that a terminal can show.
std::string shown(const std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      safe += c;
    } else {
      safe += {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return safe;
}

/// 1 if `attempt` succeeds, 0 if it throws an Error that says something; anything else fails the test.
template <class Attempt>
int attempt_on(const std::string& text, const Attempt& attempt) {
  try {
    attempt(text);
    return 1;
  } catch (const Error& error) {
    EXPECT_GT(std::string(error.what()).size(), 10U) << shown(text);
    EXPECT_LT(std::string(error.what()).size(), 2000U) << shown(text);
  } catch (const std::exception& error) {
    ADD_FAILURE() << "'" << shown(text) << "' throws " << typeid(error).name() << ": " << error.what();
  } catch (...) {
    ADD_FAILURE() << "'" << shown(text) << "' throws something that is no exception";
  }
  return 0;
}

void try_on(const std::string& text, Tally& tally) {
  (attempt_on(text, [](const std::string& t) { (void)parse_spec(t); }) == 1 ? tally.parsed
                                                                            : tally.not_parsed) += 1;
  const auto make = [](const std::string& t) {
    const std::string name = make_problem(t)->name();
    EXPECT_EQ(make_problem(name)->name(), name) << "the canonical name of " << shown(t);
  };
  (attempt_on(text, make) == 1 ? tally.made : tally.not_made) += 1;
}

std::vector<std::string> corpus() {
  std::vector<std::string> specs;
  for (const auto& entry : families().entries()) {
    specs.push_back(entry.name);
    for (const std::string& spec : entry.small) {
      specs.push_back(spec);
      specs.push_back(make_problem(spec)->name());
    }
  }
  return specs;
}

TEST(MakeProblem, ReadsBackTheCanonicalNameOfEverySmallProblem) {
  for (const std::string& spec : corpus()) {
    const std::string name = make_problem(spec)->name();
    EXPECT_EQ(make_problem(name)->name(), name) << spec;
  }
}

TEST(MakeProblem, NamesTheFamilyInErrorsAboutItsParameters) {
  try {
    (void)make_problem("t_maze(distanse=3)");
    FAIL() << "took an unknown parameter";
  } catch (const UsageError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.rfind("t_maze: ", 0), 0U) << what;
    EXPECT_NE(what.find("did you mean 'distance'"), std::string::npos) << what;
  }
}

TEST(MakeProblem, MakesAProblemOrAnErrorOfRandomBytes) {
  Rng rng(1);
  Tally tally;
  for (int i = 0; i < kStrings; ++i) {
    std::string text(uniform_index(rng, 40), '\0');
    for (char& c : text) c = static_cast<char>(uniform_index(rng, 256));
    try_on(text, tally);
  }
  EXPECT_EQ(tally.parsed + tally.not_parsed, kStrings);
  EXPECT_EQ(tally.made + tally.not_made, kStrings);
  EXPECT_GT(tally.parsed, 0);  // single letters are names
}

TEST(MakeProblem, MakesAProblemOrAnErrorOfRandomSyntax) {
  // Pieces of the grammar in any order get further into the reader than bytes do.
  const std::vector<std::string> pieces = {"t_maze",  "bandit",     "treasure_map",
                                           "(",       ")",          ",",
                                           "=",       " ",          "\t",
                                           "arm",     "arms",       "size",
                                           "horizon", "discount",   "order",
                                           "1",       "0",          "-1",
                                           "1e999",   "nan",        "inf",
                                           "0.5",     "2147483648", "collect_then_move",
                                           "prior_a", "\n",         std::string(300, '9')};
  Rng rng(2);
  Tally tally;
  for (int i = 0; i < kStrings; ++i) {
    std::string text;
    for (std::uint64_t n = uniform_index(rng, 12); n > 0; --n)
      text += pieces[uniform_index(rng, pieces.size())];
    try_on(text, tally);
  }
  EXPECT_EQ(tally.parsed + tally.not_parsed, kStrings);
  EXPECT_GT(tally.parsed, 0);
  EXPECT_GT(tally.not_parsed, 0);
  EXPECT_GT(tally.made, 0);
}

TEST(MakeProblem, MakesAProblemOrAnErrorOfMutatedSpecs) {
  const std::vector<std::string> specs = corpus();
  const std::string likely = "()=,.-+e0123456789_ \t";
  Rng rng(3);
  Tally tally;
  for (int i = 0; i < kStrings; ++i) {
    std::string text = specs[uniform_index(rng, specs.size())];
    for (std::uint64_t edits = 1 + uniform_index(rng, 4); edits > 0; --edits) {
      const std::size_t at = uniform_index(rng, text.size() + 1);
      const char c = bernoulli(rng, 0.8) ? likely[uniform_index(rng, likely.size())]
                                         : static_cast<char>(uniform_index(rng, 256));
      switch (uniform_index(rng, 4)) {
        case 0:
          text.insert(at, 1, c);
          break;
        case 1:
          if (at < text.size()) text.erase(at, 1 + uniform_index(rng, 3));
          break;
        case 2:
          if (at < text.size()) text[at] = c;
          break;
        default: {  // repeat a part: doubled parameters, longer numbers
          const std::string part = text.substr(at, uniform_index(rng, 12));
          text.insert(uniform_index(rng, text.size() + 1), part);
        }
      }
    }
    try_on(text, tally);
  }
  EXPECT_EQ(tally.made + tally.not_made, kStrings);
  EXPECT_GT(tally.made, kStrings / 100);  // enough mutants live for both ways to be tested
  EXPECT_GT(tally.not_made, kStrings / 100);
}

}  // namespace
}  // namespace assay
