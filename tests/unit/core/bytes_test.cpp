#include "core/bytes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "support/complaint.hpp"

namespace assay {
namespace {

using test::complaint;

const std::vector<float> kFloats = {0.0F, -0.0F, 1.5F, std::numeric_limits<float>::denorm_min(), INFINITY};
const std::vector<double> kDoubles = {-1e300, 5e-324, 0.1};

std::string sample() {
  ByteWriter w;
  w.u64(0x0123456789abcdefU);
  w.f64(-0.0);
  w.f32s(kFloats);
  w.f64s(kDoubles);
  w.text("two words");
  w.text("");
  w.f32s({});
  return w.take();
}

void read_sample(std::string_view bytes) {
  ByteReader r(bytes, "the sample");
  EXPECT_EQ(r.u64(), 0x0123456789abcdefU);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(r.f64()), std::bit_cast<std::uint64_t>(-0.0));
  EXPECT_EQ(r.f32s(), kFloats);
  EXPECT_EQ(r.f64s(), kDoubles);
  EXPECT_EQ(r.text(), "two words");
  EXPECT_EQ(r.text(), "");
  EXPECT_EQ(r.f32s(), std::vector<float>());
  r.expect_end();
}

TEST(Bytes, ComeBackAsTheyWentIn) { read_sample(sample()); }

TEST(Bytes, KeepTheBitsOfNotANumber) {
  const double odd = std::bit_cast<double>(std::uint64_t{0xfff8000000000123U});
  ByteWriter w;
  w.f64(odd);
  w.f64s(std::vector<double>{odd});
  const std::string bytes = w.take();
  ByteReader r(bytes, "x");
  EXPECT_EQ(std::bit_cast<std::uint64_t>(r.f64()), 0xfff8000000000123U);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(r.f64s().at(0)), 0xfff8000000000123U);
}

TEST(Bytes, AreLittleEndian) {
  ByteWriter w;
  w.u64(0x0203);
  w.f64(1.0);
  w.f32s(std::vector<float>{1.0F});
  w.text("ab");
  const std::string expected(
      "\3\2\0\0\0\0\0\0"
      "\0\0\0\0\0\0\xf0\x3f"
      "\1\0\0\0\0\0\0\0\0\0\x80\x3f"
      "\2\0\0\0\0\0\0\0ab",
      38);
  EXPECT_EQ(w.take(), expected);
}

TEST(Bytes, EndTooEarlyAtEveryLength) {
  const std::string bytes = sample();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string said = complaint<CorruptError>([&] {
      ByteReader r(std::string_view(bytes).substr(0, size), "the sample");
      r.u64();
      r.f64();
      r.f32s();
      r.f64s();
      r.text();
      r.text();
      r.f32s();
    });
    EXPECT_EQ(said.find("the sample ends early"), 0U) << size << ": " << said;
  }
  const std::string said = complaint<CorruptError>([&] { read_sample(bytes + "xyz"); });
  EXPECT_EQ(said, "the sample goes on after its end: 3 bytes too many");
}

TEST(Bytes, AbsurdLengthsAreRefusedBeforeMemoryIsTaken) {
  // 2^62 floats are 2^64 bytes: a product would wrap around to nothing.
  for (const std::uint64_t length : {std::uint64_t{3}, std::uint64_t{1} << 40U, std::uint64_t{1} << 61U,
                                     std::uint64_t{1} << 62U, ~std::uint64_t{0}}) {
    ByteWriter w;
    w.u64(length);
    const std::string bytes = w.take();
    EXPECT_NE(complaint<CorruptError>([&] { ByteReader(bytes, "x").f32s(); }), "");
    EXPECT_NE(complaint<CorruptError>([&] { ByteReader(bytes, "x").f64s(); }), "");
    EXPECT_NE(complaint<CorruptError>([&] { ByteReader(bytes, "x").text(); }), "");
  }
  ByteWriter w;
  w.u64(77);
  const std::string bytes = w.take() + "four";
  EXPECT_EQ(complaint<CorruptError>([&] { ByteReader(bytes, "state.bin").f64s(); }),
            "state.bin ends early: 77 items of 8 bytes should follow byte 8, but 4 bytes are left");
}

TEST(Checksum, NeverChanges) {
  // Files hold them. The published values of FNV-1a.
  EXPECT_EQ(checksum(""), 0xcbf29ce484222325U);
  EXPECT_EQ(checksum("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(checksum("foobar"), 0x85944171f73967e8U);
}

TEST(Checksum, SeesEveryFlippedBitAndEveryLength) {
  std::string text = "Sixteen bytes, and then some: 37 long";
  std::set<std::uint64_t> seen = {checksum(text)};
  for (char& c : text) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      c = static_cast<char>(c ^ static_cast<char>(1U << bit));
      EXPECT_TRUE(seen.insert(checksum(text)).second);
      c = static_cast<char>(c ^ static_cast<char>(1U << bit));
    }
  }
  for (std::size_t zeros = 0; zeros < 40; ++zeros) {
    EXPECT_TRUE(seen.insert(checksum(std::string(zeros, '\0'))).second);
  }
  EXPECT_NE(checksum("12345678abcdefgh"), checksum("abcdefgh12345678"));
}

}  // namespace
}  // namespace assay
