// The answers to requests, without the transport.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "assay/page_server.hpp"

namespace assay::cli {

struct PageAnswer {
  std::string head;
  std::shared_ptr<const std::string> body;  // null if there is none
};

class PageResponder {
 public:
  /// Requests must be addressed to this port.
  PageResponder(PageServer::Source source, int port);
  PageResponder(const PageResponder&) = delete;
  PageResponder& operator=(const PageResponder&) = delete;
  ~PageResponder();

  /// `request` is the request line and the headers, with the empty line that ends them. Any bytes get an
  /// answer, after which the connection must be closed.
  PageAnswer answer(std::string_view request);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace assay::cli
