// Output that only a terminal gets: frames in place, shades, tables and texts that fit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "assay/draw.hpp"
#include "assay/progress.hpp"
#include "source_dir.hpp"
#include "support/cli.hpp"

namespace assay::cli {
namespace {

struct Terminal {
  std::size_t width = 80;
  bool colour = false;
  bool animate = true;

  [[nodiscard]] std::string operator()(const std::vector<std::string>& args) const {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_cli(args, {out, err, true, colour, animate, width});
    EXPECT_EQ(code, kOk) << err.str();
    return out.str();
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Without colours and cursor movements.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\033') {
      out += text[i];
    } else {
      while (i < text.size() && (std::isalpha(static_cast<unsigned char>(text[i])) == 0)) ++i;
    }
  }
  return out;
}

const std::vector<std::string> kPlay = {"play", "treasure_map(size=3,horizon=6)", "--seed", "2", "--speed",
                                        "1000"};

/// The step of an episode is part of the state: each cell has 15 of them.
TEST(Terminals, PlayShowsTheAgentThoughSeveralStatesShareItsCell) {
  const std::string file = ASSAY_SOURCE_DIR "/examples/problems/goal_search_episodes.toml";
  const auto played = test::call({"play", file, "--policy", "random", "--seed", "1"});
  ASSERT_EQ(played.code, 0) << played.err;
  EXPECT_EQ(std::ranges::count(played.out, '@'), 30);
}

TEST(Terminals, PlayDrawsEveryStepInThePlaceOfTheLast) {
  const std::string out = Terminal{}(kPlay);
  // Five of six frames go up, all by the same number of lines: as many as a frame has.
  std::vector<std::string> ups;
  for (std::size_t at = out.find("\033["); at != std::string::npos; at = out.find("\033[", at + 1)) {
    const std::size_t end = out.find_first_not_of("0123456789", at + 2);
    if (out[end] == 'A') ups.push_back(out.substr(at + 2, end - at - 2));
  }
  ASSERT_EQ(ups.size(), 5U);
  EXPECT_EQ(std::ranges::count(ups, ups.front()), 5);
  const std::size_t first = out.find("step 0:");
  const std::size_t second = out.find("\033[" + ups.front() + "A");
  const std::string frame = out.substr(first, second - first);
  EXPECT_EQ(std::to_string(std::ranges::count(frame, '\n')), ups.front());
}

TEST(Terminals, PlayCanStandStill) {
  std::vector<std::string> still = kPlay;
  still.emplace_back("--no-animation");
  const std::string on_terminal = Terminal{200}(still);
  EXPECT_EQ(on_terminal.find('\033'), std::string::npos);
  EXPECT_EQ(on_terminal, test::call(kPlay).out) << "a file gets the same";
}

TEST(Terminals, ColoursComeOnlyWhenAsked) {
  EXPECT_NE((Terminal{.colour = true}(kPlay)).find("\033[48;5;"), std::string::npos);
  EXPECT_EQ((Terminal{.colour = false}(kPlay)).find("\033[48;5;"), std::string::npos);
}

TEST(Terminals, NothingIsWiderThanTheTerminal) {
  for (const std::size_t width : {40U, 60U, 100U}) {
    std::vector<std::string> play = {"play", "treasure_map(size=7)", "--policy", "vi_greedy", "--speed",
                                     "1000"};
    bool heading = true;  // names the problem, in one piece
    for (const std::string& line : lines_of(plain(Terminal{width, true}(play)))) {
      EXPECT_TRUE(heading || line.size() <= width) << line;
      heading = false;
    }
    for (const std::string& line : lines_of(Terminal{width}({"list"}))) {
      EXPECT_LE(line.size(), std::max<std::size_t>(width, 50)) << line;  // some words are long
    }
  }
}

TEST(Terminals, WrapBetweenWords) {
  EXPECT_EQ(wrapped("one two three four", 2, 0), "one two three four");
  EXPECT_EQ(wrapped("one two three four five six seven", 2, 22), "one two three four\n  five six seven");
  EXPECT_EQ(wrapped("", 2, 22), "");
  const std::string word(50, 'x');
  EXPECT_EQ(wrapped(word + " y", 2, 22), fmt::format("{}\n  y", word));
}

TEST(Terminals, ShortenWithDots) {
  EXPECT_EQ(shortened("12345678", 8), "12345678");
  EXPECT_EQ(shortened("123456789", 8), "12345...");
  EXPECT_EQ(shortened("123456789", 2), "12");
  EXPECT_EQ(shortened("123456789", 0), "123456789");
}

TEST(Terminals, QuoteWhatAShellWouldRead) {
  EXPECT_EQ(quoted("--out"), "--out");
  EXPECT_EQ(quoted("pcr(epochs=3)"), "'pcr(epochs=3)'");
  EXPECT_EQ(quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted(""), "''");
}

TEST(Terminals, ProgressFitsOnOneLine) {
  std::ostringstream out;
  std::ostringstream err;
  const Streams narrow{out, err, true, false, true, 20};
  {
    ProgressLine line(narrow);
    LabProgress progress;
    progress.runs = 100;
    progress.finished = 10;
    progress.share = 0.25;
    progress.epoch_rate = 1234;
    progress.seconds = 30;
    line.show(progress);
  }
  const std::string text = err.str();
  EXPECT_TRUE(text.starts_with("\r10/100 runs, 25 ")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  for (const std::string& part : {text.substr(1, text.find('\r', 1) - 1)})
    EXPECT_LE(part.size(), 19U) << part;
}

}  // namespace
}  // namespace assay::cli
