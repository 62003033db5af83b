// At 80 columns nothing breaks inside a word: help, answers and complaints.
#include "assay/fitted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "support/cli.hpp"
#include "support/problem_text.hpp"

namespace assay::cli {
namespace {

std::multiset<std::string> words_of(const std::string& text) {
  std::multiset<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.insert(word);
  return words;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : words_of(text)) longest = std::max(longest, word.size());
  return longest;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) widest = std::max(widest, line.size());
  return widest;
}

TEST(FittedLines, GoOnBelowTheirSecondColumn) {
  EXPECT_EQ(fitted_line("  --threads INT   threads to use, or none of them", 34),
            "  --threads INT   threads to use,\n"
            "                  or none of them");
  EXPECT_EQ(fitted_line("  one two three four", 10), "  one two\n    three\n    four");
  EXPECT_EQ(fitted_line("one two three", 8), "one two\nthree");
  EXPECT_EQ(fitted_line("short", 80), "short");
  EXPECT_EQ(fitted_line("as long as it likes", 0), "as long as it likes");
  EXPECT_EQ(fitted_line("averyveryverylongword and more", 10), "averyveryverylongword\nand more");
  EXPECT_EQ(fitted_line("", 5), "");
}

TEST(FittedLines, CountWhatIsSeen) {
  const std::string red = "\033[31mfour\033[0m";
  EXPECT_EQ(fitted_line(red + " four", 9), red + " four");
  EXPECT_EQ(fitted_line(red + " four", 8), red + "\nfour");
  EXPECT_EQ(fitted_line("\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc", 7), "\u00e4\u00f6\u00fc \u00e4\u00f6\u00fc");
}

TEST(FittedLines, TextsKeepTheirLines) {
  EXPECT_EQ(fitted_text("a b c\n\nd\n", 3), "a b\nc\n\nd\n");
  EXPECT_EQ(fitted_text("a b c", 3), "a b\nc");
}

TEST(FittedLines, AStreamPassesOnWholeLines) {
  std::ostringstream out;
  {
    FittedStream fitted(out, 7);
    fitted << "one two"
           << " three\nfour";
    EXPECT_EQ(out.str(), "one two\nthree\n");
  }
  EXPECT_EQ(out.str(), "one two\nthree\nfour");
}

/// As a terminal of 80 columns shows it, and the same words as anywhere else.
TEST(EightyColumns, BreakBetweenWords) {
  const std::string tiger = test::example_problem("tiger");
  std::vector<std::vector<std::string>> all = {{"--help"},
                                               {"help"},
                                               {"list"},
                                               {"solve", tiger, "--episodes", "20"},
                                               {"explain", tiger},
                                               {"exact", "t_maze(distance=3,arm=3)", "--policy"},
                                               {"check", tiger},
                                               {"play", "bandit(horizon=3)"},
                                               {"cross", "t_maze(distance=2,arm=1)"}};
  for (const char* command : {"list", "check", "solve", "explain", "exact", "cross", "play", "run", "compare",
                              "evaluate", "reproduce", "report", "figures", "serve", "export", "signature"}) {
    all.push_back({"help", command});
  }
  for (const std::vector<std::string>& args : all) {
    std::ostringstream out;
    std::ostringstream err;
    Streams streams{out, err};
    streams.width = 80;
    ASSERT_EQ(run_cli(args, streams), 0) << args[0] << ": " << err.str();
    EXPECT_LE(widest_line(out.str()), std::max<std::size_t>(80, longest_word(out.str()) + 4))
        << args[0] << "\n"
        << out.str();
    EXPECT_LE(longest_word(out.str()), 110U);  // the name of a problem, with all parameters
  }
  for (const char* command : {"solve", "play"}) {
    std::ostringstream out;
    std::ostringstream err;
    Streams streams{out, err};
    streams.width = 40;
    ASSERT_EQ(run_cli({"help", command}, streams), 0);
    EXPECT_EQ(words_of(out.str()), words_of(test::call({command, "--help"}).out));
  }
}

TEST(EightyColumns, ComplaintsToo) {
  std::ostringstream out;
  std::ostringstream err;
  Streams streams{out, err};
  streams.error_width = 80;
  EXPECT_EQ(run_cli({"exact", "t_mase"}, streams), kUsage);
  EXPECT_LE(widest_line(err.str()), 80U) << err.str();
  EXPECT_EQ(words_of(err.str()), words_of(test::call({"exact", "t_mase"}).err));
}

TEST(Help, IsACommandToo) {
  EXPECT_EQ(test::call({"help"}).out, test::call({"--help"}).out);
  EXPECT_EQ(test::call({"help", "solve"}).out, test::call({"solve", "--help"}).out);
  EXPECT_NE(test::call({"help"}).out.find("\n  help "), std::string::npos);
  const test::Called unknown = test::call({"help", "slove"});
  EXPECT_EQ(unknown.code, kUsage);
  EXPECT_NE(unknown.err.find("did you mean 'solve'"), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace assay::cli
