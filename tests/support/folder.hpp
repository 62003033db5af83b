// A folder of one test, gone when it ends.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace assay::test {

class TemporaryFolder : public ::testing::Test {
 protected:
  TemporaryFolder()
      : folder_(std::filesystem::temp_directory_path() /
                ("assay-" + std::to_string(::getpid()) + "-" +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~TemporaryFolder() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string at(const std::string& file) const { return (folder_ / file).string(); }

  std::filesystem::path folder_;
};

}  // namespace assay::test
