// Random words, table lookup and logistic function for a tile of Beta draws, compiled once per instruction
// set.
#include "beliefs/kernels/beta_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "beliefs/kernels/betas.cpp"
#include <hwy/foreach_target.h>
// This include must come after foreach_target.
#include <hwy/highway.h>

#include "core/targets.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::beta_kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kTile>;
using Words = hn::RebindToUnsigned<Floats>;
using Ints = hn::RebindToSigned<Floats>;
using Word = hn::Vec<Words>;

/// The low and the high half of the product of 32-bit lanes.
HWY_INLINE void multiply(Word a, Word b, Word& low, Word& high) {
#if HWY_TARGET == HWY_SCALAR
  const std::uint64_t product = std::uint64_t{hn::GetLane(a)} * hn::GetLane(b);
  low = hn::Set(Words(), static_cast<std::uint32_t>(product));
  high = hn::Set(Words(), static_cast<std::uint32_t>(product >> 32U));
#else
  const Words d;
  const hn::Repartition<std::uint64_t, Words> d64;
  const auto even = hn::MulEven(a, b);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, a))), b);
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
#endif
}

constexpr std::size_t kRounds = 10;

/// The keys of all rounds, which are the same for every lane and every counter of a job.
struct RoundKeys {
  std::uint32_t even[kRounds];
  std::uint32_t odd[kRounds];
};

/// Philox4x32 with 10 rounds (Salmon et al. 2011): four words for each lane's counter, which is (group of
/// four cells, draw, field). Word i goes to cell i of the group.
HWY_INLINE void philox(const BetaJob& job, const RoundKeys& keys, std::uint32_t group, std::size_t lane,
                       Word& w0, Word& w1, Word& w2, Word& w3) {
  const Words d;
  const Word m0 = hn::Set(d, 0xD2511F53U);
  const Word m1 = hn::Set(d, 0xCD9E8D57U);
  w0 = hn::Set(d, group);
  w1 = hn::Iota(d, job.first_draw + static_cast<std::uint32_t>(lane));
  w2 = hn::Set(d, job.key[2]);
  w3 = hn::Set(d, job.key[3]);
  for (std::size_t round = 0; round < kRounds; ++round) {
    Word low0 = w0, high0 = w0, low1 = w2, high1 = w2;
    multiply(w0, m0, low0, high0);
    multiply(w2, m1, low1, high1);
    w0 = hn::Xor(hn::Xor(high1, w1), hn::Set(d, keys.even[round]));
    w1 = low1;
    w2 = hn::Xor(hn::Xor(high0, w3), hn::Set(d, keys.odd[round]));
    w3 = low0;
  }
}

HWY_INLINE void make_words(const BetaJob& job) {
  const Words d;
  RoundKeys keys;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    keys.even[round] = job.key[0] + round * 0x9E3779B9U;
    keys.odd[round] = job.key[1] + round * 0xBB67AE85U;
  }
  std::size_t end = 0;
  for (std::size_t begin = 0; begin < job.count; begin = end) {
    const std::uint32_t group = job.cells[begin] / 4;
    while (end < job.count && job.cells[end] / 4 == group) ++end;
    for (std::size_t lane = 0; lane < kTile; lane += hn::Lanes(d)) {
      Word w0 = hn::Zero(d), w1 = w0, w2 = w0, w3 = w0;
      philox(job, keys, group, lane, w0, w1, w2, w3);
      for (std::size_t i = begin; i < end; ++i) {
        std::uint32_t* to = job.words + i * kTile + lane;
        switch (job.cells[i] % 4) {
          case 0:
            hn::Store(w0, d, to);
            break;
          case 1:
            hn::Store(w1, d, to);
            break;
          case 2:
            hn::Store(w2, d, to);
            break;
          default:
            hn::Store(w3, d, to);
        }
      }
    }
  }
}

/// 1 / (1 + e^-t), to a few units in the last place. Beyond 87, e^-t would be below the smallest normal
/// number.
HWY_INLINE hn::Vec<Floats> logistic(hn::Vec<Floats> t) {
  const Floats d;
  const Ints ints;
  const auto minus = hn::Neg(hn::Min(hn::Max(t, hn::Set(d, -87.0F)), hn::Set(d, 87.0F)));
  const auto rounder = hn::Set(d, 12582912.0F);  // adding 1.5 * 2^23 rounds to a whole number
  const auto n = hn::Sub(hn::Add(hn::Mul(minus, hn::Set(d, 1.44269504F)), rounder), rounder);
  // ln 2 is split into two parts, so that n times the first part is exact.
  auto r = hn::Sub(minus, hn::Mul(n, hn::Set(d, 0.693359375F)));
  r = hn::Sub(r, hn::Mul(n, hn::Set(d, -2.12194440e-4F)));
  // e^r by its interpolation at the 7 Chebyshev points of [-ln 2 / 2, ln 2 / 2]; relative error 2e-8.
  auto p = hn::Set(d, 0.0013941119F);
  p = hn::Add(hn::Mul(p, r), hn::Set(d, 0.00837513432F));
  p = hn::Add(hn::Mul(p, r), hn::Set(d, 0.0416663513F));
  p = hn::Add(hn::Mul(p, r), hn::Set(d, 0.166664153F));
  p = hn::Add(hn::Mul(p, r), hn::Set(d, 0.5F));
  p = hn::Add(hn::Mul(p, r), hn::Set(d, 1.0F));
  p = hn::Add(hn::Mul(p, r), hn::Set(d, 1.0F));
  const auto power = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(ints, n), hn::Set(ints, 127)));
  const auto one = hn::Set(d, 1.0F);
  return hn::Div(one, hn::Add(one, hn::Mul(p, hn::BitCast(d, power))));
}

std::size_t draw(const BetaJob& job) {
  const Floats d;
  const Words words;
  const Ints ints;
  make_words(job);
  // A separate loop, so that the stored values have reached the cache when they are loaded as vectors.
  for (std::size_t i = 0; i < job.count; ++i) {
    for (std::size_t k = i * kTile; k < (i + 1) * kTile; ++k) {
      job.found[k] = job.strips[i][job.words[k] >> BetaTable::kPlaceBits];
    }
  }
  const auto place_mask = hn::Set(words, (1U << BetaTable::kPlaceBits) - 1);
  const auto limit_mask = hn::Set(words, (1U << BetaTable::kLimitBits) - 1);
  std::size_t slow = 0;
  for (std::size_t i = 0; i < job.count; ++i) {
    float* out = job.out + job.cells[i] * kTile;
    for (std::size_t lane = 0; lane < kTile; lane += hn::Lanes(d)) {
      const std::size_t k = i * kTile + lane;
      auto left = hn::Zero(words), packed = left;
      hn::LoadInterleaved2(words, reinterpret_cast<const std::uint32_t*>(job.found + k), left, packed);
      const auto place = hn::BitCast(ints, hn::And(hn::Load(words, job.words + k), place_mask));
      const auto limit = hn::BitCast(
          ints, hn::ShiftLeft<BetaTable::kPlaceBits - BetaTable::kLimitBits>(hn::And(packed, limit_mask)));
      const auto t = hn::Add(hn::BitCast(d, left), hn::Mul(hn::ConvertTo(d, place), hn::BitCast(d, packed)));
      hn::Store(logistic(t), d, out + lane);
      const auto beyond = hn::RebindMask(d, hn::Not(hn::Lt(place, limit)));
      if (!hn::AllFalse(d, beyond)) {
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, beyond, bits);
        for (std::size_t l = 0; l < hn::Lanes(d); ++l) {
          if ((bits[l / 8] >> (l % 8) & 1) != 0) job.slow[slow++] = static_cast<std::uint32_t>(k + l);
        }
      }
    }
  }
  return slow;
}

BetaKernelTable table() { return {.draw = draw}; }

}  // namespace assay::beta_kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace assay::beta_kernels {

const BetaKernelTable& table_of(Kernel kernel) {
  static const std::array<BetaKernelTable, kKernels> tables = {ASSAY_TABLES(table)};
  return tables[available_index(kernel)];
}

}  // namespace assay::beta_kernels

#endif
