#include "core/bytes.hpp"

#include <bit>

namespace assay {
namespace {

template <class Word>
void put_little_endian(std::string& out, Word word) {
  for (unsigned shift = 0; shift < 8 * sizeof(Word); shift += 8) {
    out.push_back(static_cast<char>((word >> shift) & 0xffU));
  }
}

template <class Word>
Word get_little_endian(std::string_view bytes) {
  Word word = 0;
  for (std::size_t i = 0; i < sizeof(Word); ++i) {
    word |= static_cast<Word>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

}  // namespace

void ByteWriter::u64(std::uint64_t number) { put_little_endian(bytes_, number); }
void ByteWriter::f64(double number) { u64(std::bit_cast<std::uint64_t>(number)); }

void ByteWriter::f32s(std::span<const float> numbers) {
  u64(numbers.size());
  for (const float n : numbers) put_little_endian(bytes_, std::bit_cast<std::uint32_t>(n));
}

void ByteWriter::f64s(std::span<const double> numbers) {
  u64(numbers.size());
  for (const double n : numbers) f64(n);
}

void ByteWriter::text(std::string_view text) {
  u64(text.size());
  bytes_ += text;
}

std::string_view ByteReader::take(std::uint64_t count, std::size_t size) {
  const std::size_t left = bytes_.size() - at_;
  if (count > left / size) {
    throw CorruptError(where_ + " ends early: " + std::to_string(count) + " items of " +
                       std::to_string(size) + " bytes should follow byte " + std::to_string(at_) + ", but " +
                       std::to_string(left) + " bytes are left");
  }
  const std::string_view taken = bytes_.substr(at_, static_cast<std::size_t>(count) * size);
  at_ += taken.size();
  return taken;
}

std::uint64_t ByteReader::u64() { return get_little_endian<std::uint64_t>(take(1, sizeof(std::uint64_t))); }
double ByteReader::f64() { return std::bit_cast<double>(u64()); }

std::vector<float> ByteReader::f32s() {
  const std::string_view bytes = take(u64(), sizeof(float));
  std::vector<float> numbers(bytes.size() / sizeof(float));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::bit_cast<float>(get_little_endian<std::uint32_t>(bytes.substr(i * sizeof(float))));
  }
  return numbers;
}

std::vector<double> ByteReader::f64s() {
  const std::string_view bytes = take(u64(), sizeof(double));
  std::vector<double> numbers(bytes.size() / sizeof(double));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = std::bit_cast<double>(get_little_endian<std::uint64_t>(bytes.substr(i * sizeof(double))));
  }
  return numbers;
}

std::string ByteReader::text() { return std::string(take(u64(), 1)); }

void ByteReader::expect_end() const {
  if (at_ == bytes_.size()) return;
  throw CorruptError(where_ + " goes on after its end: " + std::to_string(bytes_.size() - at_) +
                     " bytes too many");
}

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace assay
