#include "lab/policy_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "core/bytes.hpp"
#include "lab/atomic_file.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

namespace fs = std::filesystem;

class TestFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("assay-policy-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] long entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

using AtomicFiles = TestFolder;
using PolicyFiles = TestFolder;

const PolicyFile kSample{"bandit(arms=2)", "random", 7, 3, std::string("\0\1state", 7)};

// Made by a second implementation, in Python: struct.pack and the checksum written anew.
constexpr unsigned char kSampleBytes[] = {
    0x41, 0x53, 0x53, 0x41, 0x59, 0x50, 0x4f, 0x4c, 0x01, 0x00, 0x00, 0x00, 0x5f, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x0e, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x62, 0x61, 0x6e, 0x64,
    0x69, 0x74, 0x28, 0x61, 0x72, 0x6d, 0x73, 0x3d, 0x32, 0x29, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x72, 0x61, 0x6e, 0x64, 0x6f, 0x6d, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x01, 0x73, 0x74, 0x61, 0x74, 0x65, 0xf4, 0x23, 0x50, 0x75, 0x5b, 0xdc, 0x3b, 0xc9};

std::string sample_bytes() { return {reinterpret_cast<const char*>(kSampleBytes), sizeof kSampleBytes}; }

/// With a right checksum at the end.
std::string resummed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  ByteWriter sum;
  sum.u64(checksum(bytes));
  return bytes + sum.take();
}

TEST_F(AtomicFiles, ReplaceAndRefuse) {
  const fs::path file = folder_ / "a.txt";
  write_file(file, "one");
  EXPECT_EQ(read_file(file), "one");
  std::string long_text(1'000'000, 'x');  // more than one buffer
  long_text.back() = '.';
  write_file(file, long_text);
  EXPECT_EQ(read_file(file), long_text);
  EXPECT_EQ(read_file(file, 4), "xxxx");
  EXPECT_TRUE(contains(complaint([&] { write_new(file, "two"); }), "a.txt is there already"));
  EXPECT_EQ(read_file(file).size(), 1'000'000U);
  write_new(folder_ / "b.txt", "");
  EXPECT_EQ(read_file(folder_ / "b.txt"), "");
  EXPECT_EQ(entries(), 2);  // nothing is left aside
}

TEST_F(AtomicFiles, LeaveNothingBehindWithoutCommit) {
  const fs::path file = folder_ / "a.txt";
  write_file(file, "before");
  {
    AtomicFile aside(file);
    aside.append("after");
    EXPECT_EQ(entries(), 2);
  }
  EXPECT_EQ(read_file(file), "before");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFiles, RefuseAFileThatCameMeanwhile) {
  const fs::path file = folder_ / "a.txt";
  AtomicFile aside(file);
  aside.append("mine");
  std::ofstream(file) << "theirs";
  EXPECT_TRUE(contains(complaint([&] { aside.commit_new(); }), "is not overwritten"));
  EXPECT_EQ(read_file(file), "theirs");
}

TEST_F(AtomicFiles, ErrorsNameThePath) {
  const auto says = [&](const std::function<void()>& attempt, const std::string& what) {
    const std::string said = complaint(attempt);
    EXPECT_TRUE(contains(said, folder_.string()) && contains(said, what)) << said;
  };
  says([&] { read_file(folder_ / "none"); }, "none: No such file");
  says([&] { read_file(folder_); }, "is a folder");
  says([&] { write_file(folder_ / "no" / "file", "x"); }, "file: No such file");
  says([&] { write_file(folder_, "x"); }, "directory");
  ::mkfifo((folder_ / "pipe").c_str(), 0600);
  says([&] { read_file(folder_ / "pipe"); }, "not an ordinary file");  // and does not wait
  write_file(folder_ / "plain", "x");
  says([&] { create_folder(folder_ / "plain"); }, "plain");
  says([&] { create_folder(folder_ / "plain" / "below"); }, "below");
}

// A process that was killed left the first; the others are someone's.
TEST_F(AtomicFiles, WhatAKilledProcessLeftIsRemovedByTheNextWriter) {
  const auto put = [&](const std::string& name) { std::ofstream(folder_ / name) << "half"; };
  const std::vector<std::string> kept = {"a.assay-tmp.1.x", ".assay-tmp.1.2", "a.assay-tmp.", "a.tmp.1.2"};
  put("report.html.assay-tmp.123.4");
  for (const std::string& name : kept) put(name);
  AtomicFile open(folder_ / "open");  // one that is being written
  open.append("whole");
  write_file(folder_ / "other", "x");
  EXPECT_FALSE(fs::exists(folder_ / "report.html.assay-tmp.123.4"));
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  open.commit();
  EXPECT_EQ(read_file(folder_ / "open"), "whole");
  EXPECT_EQ(entries(), 6);
}

TEST_F(AtomicFiles, NamesThatNoFileCanHaveAreNoFiles) {
  fs::create_symlink(folder_ / "loop", folder_ / "loop");
  write_file(folder_ / "file", "x");
  EXPECT_TRUE(is_file(folder_ / "file"));
  EXPECT_FALSE(is_file(folder_));
  EXPECT_FALSE(is_file(folder_ / "loop"));
  EXPECT_FALSE(is_file(folder_ / std::string(300, 'x')));
  EXPECT_TRUE(contains(complaint([&] { (void)name_is_taken(folder_ / std::string(300, 'x')); }), "too long"));
}

TEST(PolicyBytes, AreThoseOfTheDocument) {
  EXPECT_EQ(encode(kSample), sample_bytes());
  EXPECT_EQ(decode_policy(sample_bytes(), "x"), kSample);
}

TEST(PolicyBytes, ComeBackAsTheyWentIn) {
  const PolicyFile extremes{"", std::string(1000, 'm'), ~std::uint64_t{0}, std::numeric_limits<int>::max(),
                            std::string(100'000, '\xff')};
  EXPECT_EQ(decode_policy(encode(extremes), "x"), extremes);
  EXPECT_EQ(decode_policy(encode({}), "x"), PolicyFile());
  EXPECT_NE(complaint([] { (void)encode({"f", "m", 1, -1, ""}); }), "");
}

TEST(PolicyBytes, TruncatedAtEveryLength) {
  const std::string bytes = sample_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string said =
        complaint([&] { decode_policy(std::string_view(bytes).substr(0, size), "p.bin"); });
    const std::string expected =
        size == 0   ? "p.bin is not a policy file"
        : size < 28 ? "p.bin is truncated: has " + std::to_string(size) + " bytes, needs at least 28;"
                    : "p.bin is truncated: has " + std::to_string(size) + " bytes, needs " +
                          std::to_string(bytes.size()) + ";";
    EXPECT_TRUE(contains(said, expected)) << size << ": " << said;
  }
  EXPECT_TRUE(contains(complaint([&] { decode_policy(bytes + "x", "p.bin"); }),
                       "has 96 bytes, but says that it has 95"));
}

TEST(PolicyBytes, EveryFlippedBitIsSeen) {
  std::string bytes = sample_bytes();
  for (char& c : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      c = static_cast<char>(c ^ static_cast<char>(1U << bit));
      EXPECT_TRUE(contains(complaint([&] { decode_policy(bytes, "p.bin"); }), "p.bin "));
      c = static_cast<char>(c ^ static_cast<char>(1U << bit));
    }
  }
  EXPECT_EQ(decode_policy(bytes, "p.bin"), kSample);
}

TEST(PolicyBytes, SayWhatIsWrong) {
  const auto said = [](const std::string& bytes) {
    return complaint([&] { decode_policy(bytes, "p.bin"); });
  };
  EXPECT_TRUE(contains(said("family,method\nbandit,random\n"), "p.bin is not a policy file"));
  std::string bytes = sample_bytes();
  bytes[8] = 2;
  EXPECT_TRUE(contains(said(bytes),
                       "p.bin was written by a newer version of assay: its format is 2, this one reads 1"));
  bytes[8] = 0;
  EXPECT_TRUE(contains(said(bytes), "there is no format 0"));
  bytes = sample_bytes();
  bytes.back() = 'x';
  EXPECT_TRUE(contains(said(bytes), "checksum does not match"));
}

// A right checksum does not make the fields right: they are still read with care.
TEST(PolicyBytes, WrongFieldsUnderARightChecksum) {
  const std::string bytes = sample_bytes();
  Rng rng(20240229);
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::string changed = bytes;
    const std::size_t place = 20 + rng.next64() % (bytes.size() - 28);
    changed[place] = static_cast<char>(rng.next64());
    try {
      decode_policy(resummed(changed), "p.bin");
    } catch (const UsageError& error) {
      EXPECT_TRUE(contains(error.what(), "although its checksum matches")) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);  // lengths are 24 of the 67 bytes, epochs too large 5
  EXPECT_LT(refused, 1500);
}

TEST_F(PolicyFiles, AreSavedOnceAndLoaded) {
  const fs::path file = folder_ / "p.assay";
  save_policy(file, kSample);
  EXPECT_EQ(load_policy(file), kSample);
  PolicyFile other = kSample;
  other.seed = 8;
  EXPECT_TRUE(contains(complaint([&] { save_policy(file, other); }), "p.assay is there already"));
  EXPECT_EQ(load_policy(file), kSample);
  EXPECT_EQ(entries(), 1);
  write_file(file, sample_bytes().substr(0, 50));
  EXPECT_TRUE(contains(complaint([&] { load_policy(file); }),
                       file.string() + " is truncated: has 50 bytes, needs 95"));
  EXPECT_TRUE(contains(complaint([&] { load_policy(folder_ / "none"); }), "none"));
}

}  // namespace
}  // namespace assay
