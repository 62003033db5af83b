// Numbers and texts as bytes, the same on every machine: what checkpoints and policy files are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/error.hpp"

namespace assay {

/// Little-endian; arrays and texts are preceded by their length.
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

/// Throws CorruptError, which says what was read (`where`) and at which byte, if the data ends early.
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
  /// The next `count` items of `size` bytes; checked before anything is allocated for them.
  std::string_view take(std::uint64_t count, std::size_t size);

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string where_;
};

/// FNV-1a: finds damage, proves nothing.
std::uint64_t checksum(std::string_view bytes);

}  // namespace assay
