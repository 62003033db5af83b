// Files beside a problem file: those in its folder and below, and no others.
#include "files/side_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "assay/core/error.hpp"
#include "lab/atomic_file.hpp"
#include "support/complaint.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;
namespace fs = std::filesystem;

class SideFileTest : public test::TemporaryFolder {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "problems" / "tables");
    write_file(folder_ / "secret.csv", "secret");
    write_file(folder_ / "problems" / "own.csv", "own");
    write_file(folder_ / "problems" / "tables" / "deep.csv", "deep");
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    return files::SideFiles(at("problems/p.toml")).read(name);
  }
  void link(const std::string& name, const fs::path& to) const {
    fs::create_symlink(to, folder_ / "problems" / name);
  }
};

TEST_F(SideFileTest, AreReadFromTheFolderAndThroughLinksWithinIt) {
  link("within.csv", "tables/deep.csv");
  EXPECT_EQ(read("own.csv"), "own");
  EXPECT_EQ(read("tables/deep.csv"), "deep");
  EXPECT_EQ(read("within.csv"), "deep");
}

TEST_F(SideFileTest, LinksThatLeadElsewhereAreRefused) {
  link("out.csv", folder_ / "secret.csv");
  link("up.csv", "../secret.csv");
  link("folder", folder_);
  link("round.csv", "round.csv");
  for (const char* name : {"out.csv", "up.csv", "folder/secret.csv"}) {
    const std::string said = complaint([&] { (void)read(name); });
    EXPECT_TRUE(contains(said, "a link that leads out of the problem's folder")) << name << ": " << said;
  }
  EXPECT_NE(complaint([&] { (void)read("round.csv"); }), "");
  EXPECT_TRUE(contains(complaint([&] { (void)read("none.csv"); }), "there is no file"));
}

// The folder is that of the name that was given, though it may itself be reached through a link.
TEST_F(SideFileTest, TheProblemsOwnFolderMayBeALink) {
  fs::create_directory_symlink(folder_ / "problems", folder_ / "link");
  EXPECT_EQ(files::SideFiles(at("link/p.toml")).read("own.csv"), "own");
}

}  // namespace
}  // namespace assay
