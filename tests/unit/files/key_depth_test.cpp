#include "files/key_depth.hpp"

#include <gtest/gtest.h>

#include "assay/core/error.hpp"
#include "files/problem_file.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

std::string depth_complaint(const std::string& text) {
  return complaint<UsageError>([&] { files::check_key_depth(text, "p.toml"); });
}

/// a.a.a, of so many parts.
std::string key_of_parts(int parts) {
  std::string key = "a";
  for (int i = 1; i < parts; ++i) key += ".a";
  return key;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Parsed, they would overflow the stack.
TEST(KeyDepths, FortyThousandPartsAreAnErrorWithItsPlace) {
  for (const std::string& text :
       {key_of_parts(40'000) + " = 1\n", "[" + key_of_parts(40'000) + "]\n",
        "[[" + key_of_parts(40'000) + "]]\n", "x = { " + key_of_parts(40'000) + " = 1 }\n"}) {
    const std::string said = complaint<UsageError>([&] { read_problem("horizon = 3\n" + text, "p.toml"); });
    EXPECT_TRUE(contains(said, "p.toml:2:")) << said.substr(0, 200);
    EXPECT_TRUE(contains(said, "more than 100 deep")) << said.substr(0, 200);
  }
}

TEST(KeyDepths, AddUpWhereTablesLieInTables) {
  EXPECT_EQ(depth_complaint(key_of_parts(90) + " = 1.5\n"), "");
  EXPECT_EQ(depth_complaint(repeated(key_of_parts(60) + " = 1\n", 5)), "") << "one after the other";
  EXPECT_EQ(depth_complaint("[" + key_of_parts(60) + "]\n[" + key_of_parts(60) + "]\n"), "");
  EXPECT_NE(depth_complaint("[" + key_of_parts(60) + "]\nx = 1\n" + key_of_parts(60) + " = 1\n"), "");
  EXPECT_NE(depth_complaint(repeated("x = { " + key_of_parts(30) + " = { ", 4)), "");
  EXPECT_NE(depth_complaint("x = " + repeated("[", 200)), "");
  EXPECT_EQ(depth_complaint("x = [" + repeated("[1, 2],\n  ", 200) + "]\n"), "") << "side by side";
  EXPECT_EQ(depth_complaint("x = [" + repeated("{ a.b = 1.5 },", 200) + "]\n"), "");
  EXPECT_EQ(depth_complaint(repeated("[[outcome]]\nat = \"x\"\n", 300)), "");
}

TEST(KeyDepths, LookPastStringsAndComments) {
  const std::string dots(500, '.');
  for (const std::string& text :
       {"x = \"" + dots + "\"\n", "x = '" + dots + "'\n", "# " + dots + "\n", "x = 1 # \"" + dots + "\n",
        "x = \"\"\"\n" + dots + "\"\n" + dots + "\"\"\"\n", "x = '''\n" + dots + "'\n" + dots + "'''\n",
        "x = \"\\\"" + dots + "\"\n", "x = '\\'\ny = '" + dots + "'\n",
        "x = \"\"\"" + dots + "\"\"\"\"\"\n"}) {
    EXPECT_EQ(depth_complaint(text), "") << text;
  }
  // What follows a string is read again, however the string ended.
  const std::string deep = key_of_parts(200) + " = 1";
  for (const std::string string : {R"("a\"b")", R"('a\')", R"("""a"b""")", R"("""a""""")", R"("""a"""")",
                                   R"('''a'''')", R"("")", R"("""""")"}) {
    EXPECT_NE(depth_complaint("t = { x = " + string + ", " + deep + " }\n"), "") << string;
  }
  EXPECT_NE(depth_complaint("x = 1 # \"\n" + deep), "");
  EXPECT_NE(depth_complaint("\"a\"" + repeated(".\"a\"", 200) + " = 1\n"), "")
      << "parts of keys can be quoted";
}

}  // namespace
}  // namespace assay
