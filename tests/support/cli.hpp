// The command line, called in-process.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "assay/cli.hpp"

namespace assay::test {

struct Called {
  int code = 0;
  std::string out, err;
};

inline Called call(const std::vector<std::string>& args) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = cli::run_cli(args, {out, err, false, false});
  return {code, out.str(), err.str()};
}

}  // namespace assay::test
