#include "assay/core/detail/spec.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"
#include "core/slip.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

/// "name|key=value|key=value": a spec in a form that is easy to compare.
std::string read_back(const std::string& text) {
  const Spec spec = parse_spec(text);
  std::string flat = spec.name;
  for (const auto& [key, value] : spec.settings) flat += "|" + key + "=" + value;
  return flat;
}

TEST(ParseSpec, ReadsEveryForm) {
  EXPECT_EQ(read_back("t_maze"), "t_maze");
  EXPECT_EQ(read_back("t_maze()"), "t_maze");
  EXPECT_EQ(read_back("t_maze(arm=2)"), "t_maze|arm=2");
  EXPECT_EQ(read_back("b(z=1,a=-2.5e+3,c=two_words.x)"), "b|z=1|a=-2.5e+3|c=two_words.x");
  EXPECT_EQ(read_back("9(0=0)"), "9|0=0");
}

TEST(ParseSpec, IgnoresBlanksAroundTheParts) {
  EXPECT_EQ(read_back("  t_maze \t"), "t_maze");
  EXPECT_EQ(read_back(" t_maze ( ) "), "t_maze");
  EXPECT_EQ(read_back("\tt_maze ( arm = 2 ,\tdistance\t=\t3 ) "), "t_maze|arm=2|distance=3");
}

TEST(ParseSpec, NamesTheColumnAndWhatItExpectedThere) {
  struct Case {
    std::string text, expected;
    int column;
  };
  const std::string long_name(500, 'x');
  for (const auto& [text, expected, column] : std::vector<Case>{
           {"", "a name", 1},
           {"   ", "a name", 4},
           {"(", "a name", 1},
           {"=3", "a name", 1},
           {"\xc3\xa9t\xc3\xa9", "a name", 1},
           {"t maze", "the end", 3},
           {"a\n", "the end", 2},
           {"a-b", "the end", 2},
           {"a()x", "the end", 4},
           {"a(b=1))", "the end", 7},
           {"a(", "a parameter name", 3},
           {"a(,)", "a parameter name", 3},
           {"a(=1)", "a parameter name", 3},
           {"a(b=1,)", "a parameter name", 7},
           {"a( b=1 , )", "a parameter name", 10},
           {"a(b", "'=' and a value for b", 4},
           {"a(b)", "'=' and a value for b", 4},
           {"a(b c=1)", "'=' and a value for b", 5},
           {"a(b=", "a value for b", 5},
           {"a(b=)", "a value for b", 5},
           {"a(b==1)", "a value for b", 5},
           {"a(b=1", "',' or ')'", 6},
           {"a(b=1;c=2)", "',' or ')'", 6},
           {"a(b=1 2)", "',' or ')'", 7},
           {"a(b=(1))", "a value for b", 5},
           {long_name + "(", "a parameter name", 502},
       }) {
    const std::string what = complaint([&text = text] { (void)parse_spec(text); });
    EXPECT_TRUE(contains(what, "expected " + expected)) << "'" << text << "': " << what;
    EXPECT_TRUE(contains(what, "at column " + std::to_string(column) + ";")) << "'" << text << "': " << what;
    EXPECT_LT(what.size(), 400U) << "an error is one readable line, whatever was given";
  }
}

TEST(ParseSpec, ComplainsInOneReadableLineWhateverBytesItWasGiven) {
  for (const std::string& text :
       {std::string("a\nb"), std::string("a\0b", 3), std::string("a\x1b[31mb"), std::string("a\rb")}) {
    const std::string what = complaint([&text = text] { (void)parse_spec(text); });
    EXPECT_TRUE(contains(what, "expected the end at column 2")) << what;
    for (const char c : what)
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << "byte " << static_cast<int>(c);
  }
}

TEST(ParseSpec, RefusesAParameterThatIsGivenTwice) {
  const std::string what = complaint([] { (void)parse_spec("maze(arm=2,other=1,arm=3)"); });
  for (const std::string part : {"maze", "given twice", "arm=2", "arm=3"})
    EXPECT_TRUE(contains(what, part)) << what;
  EXPECT_NE(complaint([] { (void)parse_spec("maze(arm=2,arm=2)"); }), "") << "even if both agree";
}

RC_GTEST_PROP(ParseSpec, ReadsBackWhateverItWrites, ()) {
  const auto name_char = rc::gen::elementOf(std::string("abcxyzABZ0189_"));
  const auto value_char = rc::gen::elementOf(std::string("abcxyzABZ0189_.+-"));
  const auto blanks = rc::gen::container<std::string>(rc::gen::elementOf(std::string(" \t")));
  const auto word = rc::gen::nonEmpty(rc::gen::container<std::string>(name_char));
  const auto keys = *rc::gen::unique<std::vector<std::string>>(word);
  const std::string name = *word;
  std::string text = *blanks + name + *blanks + "(";
  std::string expected = name;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string value = *rc::gen::nonEmpty(rc::gen::container<std::string>(value_char));
    text += (i > 0 ? "," : "") + *blanks + keys[i] + *blanks + "=" + *blanks + value + *blanks;
    expected += "|" + keys[i] + "=" + value;
  }
  RC_ASSERT(read_back(text + ")" + *blanks) == expected);
}

TEST(NearestName, FindsTheNameThatASlipOfTheHandMeant) {
  const std::vector<std::string> known = {"bandit", "t_maze", "treasure_map"};
  EXPECT_EQ(nearest_name("bandit", known), "bandit");
  EXPECT_EQ(nearest_name("tmaze", known), "t_maze");    // left out
  EXPECT_EQ(nearest_name("banddit", known), "bandit");  // doubled
  EXPECT_EQ(nearest_name("badnit", known), "bandit");   // swapped
  EXPECT_EQ(nearest_name("treasure-map", known), "treasure_map");
  EXPECT_EQ(nearest_name("tresuremap", known), "treasure_map");
}

TEST(NearestName, SuggestsNothingThatIsFarAway) {
  const std::vector<std::string> known = {"bandit", "t_maze"};
  EXPECT_EQ(nearest_name("chess", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'b'), known), "");
  EXPECT_EQ(nearest_name("bandit", {}), "");
}

TEST(UnknownNameMessage, NamesWhatWasGivenWhatIsNearAndWhatIsKnown) {
  const std::string what = unknown_name_message("family", "badnit", {"bandit", "t_maze"});
  for (const std::string part : {"family", "'badnit'", "did you mean 'bandit'", "t_maze"}) {
    EXPECT_TRUE(contains(what, part)) << what;
  }
  EXPECT_FALSE(contains(unknown_name_message("family", "chess", {"bandit"}), "did you mean"));
}

enum class Mood { kCalm, kLively, kWild };
struct Settings {
  int count = 3;
  double rate = 0.5;
  Mood mood = Mood::kLively;
};

const Schema<Settings>& schema() {
  static const Schema<Settings> made(
      {integer("count", &Settings::count, -5, 100, "how many"),
       real("rate", &Settings::rate, -1.5, 1e6, "how fast"),
       choice("mood", &Settings::mood, {"calm", "lively", "wild"}, "how loud")});
  return made;
}

/// Given as it is, so that values can be tried that no spec's text could hold.
Settings read_one(const std::string& key, const std::string& value) {
  return schema().read(Spec{"thing", {{key, value}}});
}

TEST(Schema, TakesTheStructsDefaults) {
  const Settings settings = schema().read(Spec{"thing", {}});
  EXPECT_EQ(settings.count, 3);
  EXPECT_EQ(settings.rate, 0.5);
  EXPECT_EQ(settings.mood, Mood::kLively);
}

TEST(Schema, DescribesItsParameters) {
  const auto info = schema().info();
  ASSERT_EQ(info.size(), 3U);
  EXPECT_EQ(info[0].name + " " + info[0].type + " " + info[0].range, "count integer from -5 to 100");
  EXPECT_EQ(info[0].default_value, "3");
  EXPECT_EQ(info[1].type + " " + info[1].default_value, "real 0.5");
  EXPECT_EQ(info[2].range + " " + info[2].default_value, "calm|lively|wild lively");
  EXPECT_EQ(info[2].help, "how loud");
}

TEST(Schema, AcceptsValuesUpToTheEndsOfTheirRange) {
  EXPECT_EQ(read_one("count", "-5").count, -5);
  EXPECT_EQ(read_one("count", "100").count, 100);
  EXPECT_EQ(read_one("count", "007").count, 7);
  EXPECT_EQ(read_one("rate", "-1.5").rate, -1.5);
  EXPECT_EQ(read_one("rate", "1e6").rate, 1e6);
  EXPECT_EQ(read_one("rate", "1E+06").rate, 1e6);
  EXPECT_EQ(read_one("rate", "12").rate, 12);
  EXPECT_EQ(read_one("rate", "1e-300").rate, 1e-300);
  EXPECT_EQ(read_one("mood", "calm").mood, Mood::kCalm);
  EXPECT_EQ(read_one("mood", "wild").mood, Mood::kWild);
}

TEST(Schema, RefusesWhatIsNotAnIntegerInRange) {
  for (const std::string value :
       {"-6", "101", "", "x", "1.5", "1.0", "1e1", "0x10", "nan", "inf", "3x", " 3", "3 ", "--3",
        "99999999999", "-99999999999", "18446744073709551619", "1,2"}) {
    const std::string what = complaint([&] { (void)read_one("count", value); });
    EXPECT_TRUE(contains(what, "count=" + value + " is not an integer from -5 to 100")) << what;
    EXPECT_TRUE(contains(what, "how many")) << "the error explains the parameter: " << what;
  }
}

TEST(Schema, RefusesWhatIsNotANumberInRange) {
  for (const std::string value : {"-1.5000000000000002",
                                  "1000000.0000000002",
                                  "1e7",
                                  "",
                                  "x",
                                  "0x10",
                                  "0x1p3",
                                  "nan",
                                  "NaN",
                                  "-nan",
                                  "nan(1)",
                                  "inf",
                                  "-inf",
                                  "infinity",
                                  "1e999",
                                  "-1e999",
                                  "1e",
                                  "1e+",
                                  ".",
                                  "-",
                                  "1.5.2",
                                  " 1",
                                  "1 ",
                                  "1_000"}) {
    const std::string what = complaint([&] { (void)read_one("rate", value); });
    EXPECT_TRUE(contains(what, "rate=" + value + " is not a number from -1.5 to 1")) << value << ": " << what;
  }
}

TEST(Schema, RefusesAnUnknownChoiceAndNamesTheNearest) {
  for (const std::string value : {"", "0", "Calm", "loud", "calm|wild"}) {
    const std::string what = complaint([&] { (void)read_one("mood", value); });
    EXPECT_TRUE(contains(what, "mood=" + value + " is not one of calm|lively|wild")) << what;
  }
  EXPECT_TRUE(contains(complaint([] { (void)read_one("mood", "livley"); }), "did you mean lively"));
}

TEST(Schema, RefusesAnUnknownParameterAndNamesTheNearest) {
  const std::string what = complaint([] { (void)read_one("coutn", "3"); });
  EXPECT_TRUE(contains(what, "unknown parameter 'coutn'; did you mean 'count'?")) << what;
  for (const std::string known : {"count", "rate", "mood"}) EXPECT_TRUE(contains(what, known)) << what;
  EXPECT_NE(complaint([] { (void)read_one("", "3"); }), "");
}

RC_GTEST_PROP(Schema, ReadsBackItsCanonicalTextBitByBit, ()) {
  Settings settings;
  settings.count = *rc::gen::inRange(-5, 101);
  // From the unit interval to the range, and tiny values of either sign: all 17 digits must survive.
  const double unit = static_cast<double>(*rc::gen::arbitrary<std::uint64_t>() >> 11U) * 0x1p-53;
  settings.rate =
      *rc::gen::element(unit, -1.5 * unit, 1e6 * unit, unit * 1e-300, -unit * 1e-20, 1e6, -1.5, 0.0);
  settings.mood = *rc::gen::element(Mood::kCalm, Mood::kLively, Mood::kWild);
  const std::string text = schema().text("thing", settings);
  const Spec spec = parse_spec(text);
  const Settings again = schema().read(spec);
  RC_ASSERT(again.count == settings.count);
  RC_ASSERT(std::bit_cast<std::uint64_t>(again.rate) == std::bit_cast<std::uint64_t>(settings.rate));
  RC_ASSERT(again.mood == settings.mood);
  RC_ASSERT(schema().text(spec.name, again) == text);
}

TEST(PrintableText, KeepsWhatCanBeSeenAndNamesTheRest) {
  EXPECT_EQ(printable("h\u00f6rizon \u2192 \U0001f600"), "h\u00f6rizon \u2192 \U0001f600");
  EXPECT_EQ(printable("a\tb\nc\rd"), "a\\tb\\nc\\rd");
  EXPECT_EQ(printable(std::string_view("\0\x1b[2J\x7f", 6)), "\\u0000\\u001b[2J\\u007f");
  EXPECT_EQ(printable("\u0085\u202e\u200b\ufeff"),
            "\\u0085\\u202e\\u200b\\ufeff");  // unseen, or turn the text round
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\u00f6\u00f6\u00f6", 4), "\u00f6\u00f6...");  // not through a character
  EXPECT_EQ(printable("\u00f6\u00f6\u00f6", 5), "\u00f6\u00f6...");
  EXPECT_EQ(printable("abc", 3), "abc");
}

TEST(Slips, AreNearerThanNearestNames) {
  EXPECT_TRUE(is_slip_of("acton", "action"));
  EXPECT_TRUE(is_slip_of("atcion", "action"));
  EXPECT_FALSE(is_slip_of("options", "action"));
  EXPECT_FALSE(is_slip_of("next", "beta"));
  EXPECT_FALSE(is_slip_of(std::string(100'000, 'a'), "action"));
}

}  // namespace
}  // namespace assay
