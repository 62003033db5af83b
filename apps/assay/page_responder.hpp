// What a request is answered with, apart from how both are carried.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "assay/page_server.hpp"

namespace assay::cli {

struct PageAnswer {
  std::string head;
  std::shared_ptr<const std::string> body;  // null: none
};

class PageResponder {
 public:
  /// `port` is the one that requests must be for.
  PageResponder(PageServer::Source source, int port);
  PageResponder(const PageResponder&) = delete;
  PageResponder& operator=(const PageResponder&) = delete;
  ~PageResponder();

  /// `request` is its line and headers with the empty line that ends them. Whatever the bytes are, there is
  /// an answer, after which the connection is to be closed.
  PageAnswer answer(std::string_view request);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace assay::cli
