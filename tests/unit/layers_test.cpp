// Who may include whom. Folders are layers: a change that reaches downwards does not compile into a tangle
// unseen.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace assay {
namespace {

/// What each folder may include besides itself. Methods are not here with families or beliefs: they know
/// problems only through their interface.
const std::map<std::string, std::vector<std::string>> kMayInclude = {
    {"core", {}},
    {"beliefs", {"core"}},
    {"solver", {"core"}},
    {"cashing", {"core", "solver"}},
    {"problem", {"core", "solver", "cashing"}},
    {"families", {"core", "beliefs", "solver", "problem"}},
    {"methods", {"core", "solver", "problem"}},
};

struct Source {
  std::string path;  // below include/assay or src: "core/rng.hpp"; assay.hpp has no folder
  std::string text;
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// Only code can break a rule: comments go, lines stay.
std::string without_comments(const std::string& text) {
  return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

/// The headers of assay that a file includes, as paths below include/assay.
std::vector<std::string> includes_of(const Source& source) {
  static const std::regex kInclude("#\\s*include\\s*[\"<]assay/([^\">]+)[\">]");
  const std::string code = without_comments(source.text);
  std::vector<std::string> all;
  for (std::sregex_iterator i(code.begin(), code.end(), kInclude), end; i != end; ++i) all.push_back((*i)[1]);
  return all;
}

std::vector<std::string> include_complaints(const Source& source) {
  const std::string from = folder_of(source.path);
  if (from.empty()) return {};  // assay.hpp: all of it, for whoever wants all of it
  const auto rule = kMayInclude.find(from);
  if (rule == kMayInclude.end())
    return {source.path + ": no rule says what the folder '" + from + "' may include"};
  std::vector<std::string> complaints;
  for (const std::string& header : includes_of(source)) {
    const std::string to = folder_of(header);
    if (to == from || std::ranges::find(rule->second, to) != rule->second.end()) continue;
    complaints.push_back(source.path + " includes assay/" + header + ": " + from + " may not know " +
                         (to.empty() ? "everything" : to));
  }
  return complaints;
}

/// The library never prints, and takes no randomness or time but what it is given.
std::vector<std::string> word_complaints(const Source& source) {
  static const std::vector<std::string> kForbidden = {
      "std::cout",        "std::cerr",           "\\bv?f?printf\\s*\\(", "\\bputs\\s*\\(",
      "\\bs?rand\\s*\\(", "\\brandom_device\\b", "\\btime\\s*\\("};
  const std::string code = without_comments(source.text);
  std::vector<std::string> complaints;
  for (const std::string& word : kForbidden) {
    std::smatch found;
    if (std::regex_search(code, found, std::regex(word)))
      complaints.push_back(source.path + " uses " + found.str());
  }
  return complaints;
}

std::vector<Source> sources_below(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<Source> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    all.push_back({fs::relative(entry.path(), folder).generic_string(), text.str()});
  }
  return all;
}

std::vector<Source> library() {
  const std::string root = ASSAY_SOURCE_DIR;
  std::vector<Source> all = sources_below(root + "/include/assay");
  std::ranges::move(sources_below(root + "/src"), std::back_inserter(all));
  return all;
}

TEST(Layers, IncludeOnlyWhatLiesBelow) {
  ASSERT_GT(library().size(), 20U) << "the library was not found";
  for (const Source& source : library()) {
    for (const std::string& complaint : include_complaints(source)) ADD_FAILURE() << complaint;
  }
}

TEST(Layers, NeitherPrintNorRollTheirOwnDice) {
  for (const Source& source : library()) {
    for (const std::string& complaint : word_complaints(source)) ADD_FAILURE() << complaint;
  }
}

std::size_t include_faults(const std::string& path, const std::string& header) {
  return include_complaints({path, "#pragma once\n#include \"assay/" + header + "\"\nint x;\n"}).size();
}

TEST(LayersChecker, SeesEveryIllegalDirection) {
  EXPECT_EQ(include_faults("core/rng.hpp", "beliefs/beta.hpp"), 1U);
  EXPECT_EQ(include_faults("core/rng.cpp", "solver/exact.hpp"), 1U);
  EXPECT_EQ(include_faults("beliefs/beta.hpp", "solver/mdp.hpp"), 1U);
  EXPECT_EQ(include_faults("solver/exact.hpp", "beliefs/finite.hpp"), 1U);
  EXPECT_EQ(include_faults("solver/exact.cpp", "problem/problem.hpp"), 1U);
  EXPECT_EQ(include_faults("problem/problem.hpp", "families/bandit.hpp"), 1U);
  EXPECT_EQ(include_faults("problem/problem.hpp", "beliefs/beta.hpp"), 1U);
  EXPECT_EQ(include_faults("methods/exact.cpp", "families/bandit.hpp"), 1U);
  EXPECT_EQ(include_faults("methods/exact.cpp", "beliefs/beta.hpp"), 1U);
  EXPECT_EQ(include_faults("core/rng.hpp", "assay.hpp"), 1U);
  EXPECT_EQ(include_faults("elsewhere/thing.hpp", "core/rng.hpp"), 1U);
  EXPECT_EQ(include_complaints(
                {"core/a.hpp", "# include <assay/solver/mdp.hpp>\n#include \"assay/families/x.hpp\"\n"})
                .size(),
            2U);
}

TEST(LayersChecker, IsContentWithLegalDirections) {
  EXPECT_EQ(include_faults("core/world.hpp", "core/rng.hpp"), 0U);
  EXPECT_EQ(include_faults("beliefs/beta.hpp", "core/rng.hpp"), 0U);
  EXPECT_EQ(include_faults("problem/problem.hpp", "solver/exact.hpp"), 0U);
  EXPECT_EQ(include_faults("families/bandit.hpp", "beliefs/beta.hpp"), 0U);
  EXPECT_EQ(include_faults("families/bandit.cpp", "problem/registry.hpp"), 0U);
  EXPECT_EQ(include_faults("methods/exact.cpp", "problem/registry.hpp"), 0U);
  EXPECT_EQ(include_faults("assay.hpp", "families/bandit.hpp"), 0U);
  EXPECT_TRUE(include_complaints({"core/a.hpp", "// #include \"assay/solver/mdp.hpp\"\n"}).empty());
}

TEST(LayersChecker, SeesForbiddenWordsInCodeButNotInComments) {
  for (const std::string line :
       {"std::cout << 1;", "std::cerr << 1;", "printf(\"x\");", "std::fprintf(f, \"x\");", "int r = rand();",
        "srand(1);", "std::random_device d;", "auto t = std::time(nullptr);"}) {
    EXPECT_EQ(word_complaints({"core/a.cpp", "int f() {\n  " + line + "\n}\n"}).size(), 1U) << line;
    EXPECT_TRUE(word_complaints({"core/a.cpp", "int f();  // " + line + "\n"}).empty()) << line;
  }
  EXPECT_TRUE(word_complaints({"core/a.cpp", "int operand(int lifetime); int runtime(int);"}).empty());
}

}  // namespace
}  // namespace assay
