// Numbers and texts as bytes that are the same on every machine, for checkpoints and policy files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/error.hpp"

namespace assay {

/// Little-endian; the length precedes arrays and texts.
class ByteWriter {
 public:
  void u64(std::uint64_t number);
  void f64(double number);
  void f32s(std::span<const float> numbers);
  void f64s(std::span<const double> numbers);
  void text(std::string_view text);
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Throws CorruptError with the name of the data (`where`) and the position if the data end early.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  std::uint64_t u64();
  double f64();
  std::vector<float> f32s();
  std::vector<double> f64s();
  std::string text();
  void expect_end() const;

 private:
  /// The next `count` items of `size` bytes. The length is checked before anything is allocated.
  std::string_view take(std::uint64_t count, std::size_t size);

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string where_;
};

/// FNV-1a finds accidental damage; it proves nothing against deliberate changes.
std::uint64_t checksum(std::string_view bytes);

}  // namespace assay
