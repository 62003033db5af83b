// `assay signature`: one number for what this build computes.
#include "assay/problem/signature.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>

#include "assay/cli.hpp"
#include "assay/json_text.hpp"

namespace assay::cli {

void run_signature(const SignatureCommand& command, const Streams& streams) {
  const Kernel kernel = command.kernel == "auto" ? default_kernel() : kernel_named(command.kernel);
  const Signature found = signature(kernel, command.threads);
  if (!command.json) {
    fmt::print(streams.out, "{:016x}\n", found.hash);
    return;
  }
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const SignaturePart& part : found.parts) parts[part.name] = fmt::format("{:016x}", part.hash);
  const nlohmann::ordered_json object = {
      {"signature", fmt::format("{:016x}", found.hash)}, {"kernel", kernel_name(kernel)}, {"parts", parts}};
  print_json(streams, object);
}

}  // namespace assay::cli
