#include "lab/policy_file.hpp"

#include <fmt/format.h>

#include <limits>

#include "assay/core/error.hpp"
#include "core/bytes.hpp"
#include "lab/atomic_file.hpp"

namespace assay {
namespace {

constexpr std::string_view kPolicyMagic = "ASSAYPOL";
constexpr std::uint32_t kPolicyVersion = 1;
constexpr std::size_t kPolicyHead = 8 + 4 + 8;  // magic number, version, size of the file
constexpr std::size_t kPolicySum = 8;           // the checksum at the end

constexpr std::string_view kCopyAgain = "copy it again from where it was written, or train again";

/// What follows the head. The checksum has been compared by now.
PolicyFile policy_fields(ByteReader reader) {
  PolicyFile policy;
  policy.family = reader.text();
  policy.method = reader.text();
  policy.seed = reader.u64();
  const std::uint64_t epochs = reader.u64();
  if (epochs > std::uint64_t{std::numeric_limits<int>::max()}) {
    throw CorruptError(fmt::format("{} epochs are more than anyone trains", epochs));
  }
  policy.epochs = static_cast<int>(epochs);
  policy.state = reader.text();
  reader.expect_end();
  return policy;
}

std::string policy_version_bytes() {
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8)
    bytes.push_back(static_cast<char>(kPolicyVersion >> shift));
  return bytes;
}

std::uint32_t policy_version_in(std::string_view bytes) {
  std::uint32_t version = 0;
  for (unsigned i = 0; i < 4; ++i) {
    version |= std::uint32_t{static_cast<unsigned char>(bytes[kPolicyMagic.size() + i])} << (8 * i);
  }
  return version;
}

void check_policy_head(std::string_view bytes, const std::string& where) {
  // A file with the beginning of the magic number is a truncated policy; any other short file is of another
  // kind.
  if (bytes.substr(0, kPolicyMagic.size()) != kPolicyMagic.substr(0, bytes.size()) || bytes.empty()) {
    throw UsageError(
        fmt::format("{} is not a policy file: it does not begin with {}; give a file that assay saved", where,
                    kPolicyMagic));
  }
  const auto need = [&](std::uint64_t size, std::string_view least) {
    if (bytes.size() >= size) return;
    throw UsageError(fmt::format("{} is truncated: has {} bytes, needs {}{}; {}", where, bytes.size(), least,
                                 size, kCopyAgain));
  };
  need(kPolicyHead + kPolicySum, "at least ");
  const std::uint32_t version = policy_version_in(bytes);
  if (version > kPolicyVersion) {
    throw UsageError(
        fmt::format("{} was written by a newer version of assay: its format is {}, this one reads {}; "
                    "use the newer assay",
                    where, version, kPolicyVersion));
  }
  if (version != kPolicyVersion) {
    throw UsageError(fmt::format("{} is damaged: there is no format {}, this assay reads {}; {}", where,
                                 version, kPolicyVersion, kCopyAgain));
  }
  const std::uint64_t size = ByteReader(bytes.substr(kPolicyMagic.size() + 4), where).u64();
  need(size, "");
  if (bytes.size() > size) {
    throw UsageError(
        fmt::format("{} has {} bytes, but says that it has {}: it is damaged or something was added; {}",
                    where, bytes.size(), size, kCopyAgain));
  }
}

}  // namespace

std::string encode(const PolicyFile& policy) {
  if (policy.epochs < 0) {
    throw UsageError(
        fmt::format("a policy of {} epochs cannot be saved: 0 or more are possible", policy.epochs));
  }
  ByteWriter writer;
  writer.text(policy.family);
  writer.text(policy.method);
  writer.u64(policy.seed);
  writer.u64(static_cast<std::uint64_t>(policy.epochs));
  writer.text(policy.state);
  const std::string fields = writer.take();
  ByteWriter size;
  size.u64(kPolicyHead + fields.size() + kPolicySum);
  std::string bytes = std::string(kPolicyMagic) + policy_version_bytes() + size.take() + fields;
  ByteWriter sum;
  sum.u64(checksum(bytes));
  return bytes += sum.take();
}

PolicyFile decode_policy(std::string_view bytes, const std::string& where) {
  check_policy_head(bytes, where);
  const std::string_view summed = bytes.substr(0, bytes.size() - kPolicySum);
  const std::uint64_t sum = ByteReader(bytes.substr(summed.size()), where).u64();
  if (checksum(summed) != sum) {
    throw UsageError(
        fmt::format("{} is damaged: its checksum does not match ({:016x}, should be {:016x}); {}", where,
                    checksum(summed), sum, kCopyAgain));
  }
  try {
    return policy_fields(ByteReader(summed.substr(kPolicyHead), where));
  } catch (const CorruptError& error) {
    throw UsageError(fmt::format("{} is not a sound policy file although its checksum matches ({}); {}",
                                 where, error.what(), kCopyAgain));
  }
}

void save_policy(const std::filesystem::path& file, const PolicyFile& policy) {
  write_new(file, encode(policy));
}

PolicyFile load_policy(const std::filesystem::path& file) {
  return decode_policy(read_file(file), file.string());
}

}  // namespace assay
