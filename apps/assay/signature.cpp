// `assay signature`: two numbers for what this build computes.
#include "problem/signature.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>

#include "assay/command.hpp"
#include "assay/json_text.hpp"

namespace assay::cli {
namespace {

struct SignatureCommand {
  std::string kernel = "auto";
  bool json = false;
  int threads = 0;
};

void declare(Options& options, SignatureCommand& c) {
  add_kernel(options, c.kernel);
  add_threads(options, c.threads);
  add_json(options, c.json);
}

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

nlohmann::ordered_json parts_json(const Signature& signature) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const SignaturePart& part : signature.parts) parts[part.name] = hash_text(part.hash);
  return parts;
}

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

const RegisterCommand<SignatureCommand> kRegistered(
    {.name = "signature",
     .group = Group::kBuild,
     .rank = 0,
     .summary =
         "Reduce what this build computes to two numbers: the same for every kernel, number of threads and "
         "compiler.",
     .help =
         "ASSAY_KERNEL=scalar assay signature\n\nThe first number is computed from a fixed set "
         "of solves and draws, the second from what every method learns and does on small "
         "problems.\n\n--json prints signature, "
         "kernel, parts (what the first is made of), method_signature and methods (what the second is made "
         "of)."},
    declare, run_signature);

}  // namespace
}  // namespace assay::cli
