// `assay signature`: two numbers for what this build computes.
#include "assay/problem/signature.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>

#include "assay/cli.hpp"
#include "assay/json_text.hpp"

namespace assay::cli {
namespace {

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

nlohmann::ordered_json parts_json(const Signature& signature) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const SignaturePart& part : signature.parts) parts[part.name] = hash_text(part.hash);
  return parts;
}

}  // namespace

void run_signature(const SignatureCommand& command, const Streams& streams) {
  const Kernel kernel = command.kernel == "auto" ? default_kernel() : kernel_named(command.kernel);
  const Signature found = signature(kernel, command.threads);
  const Signature methods = method_signature(command.threads);
  if (!command.json) {
    fmt::print(streams.out, "kernels {}\nmethods {}\n", hash_text(found.hash), hash_text(methods.hash));
    return;
  }
  print_json(streams, {{"signature", hash_text(found.hash)},
                       {"kernel", kernel_name(kernel)},
                       {"parts", parts_json(found)},
                       {"method_signature", hash_text(methods.hash)},
                       {"methods", parts_json(methods)}});
}

}  // namespace assay::cli
