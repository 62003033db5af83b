// httplib reads the requests and writes the heads of the answers. page_server.cpp transports both. httplib's
// own server gives each connection a thread for as long as the client likes, so that a few dozen idle
// clients would exclude all others.
#include "assay/page_responder.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>

namespace assay::cli {
namespace {

/// A complete request, and the head of its answer.
class RequestStream : public httplib::Stream {
 public:
  explicit RequestStream(std::string_view request) : request_(request) {}

  [[nodiscard]] bool is_readable() const override { return true; }
  [[nodiscard]] bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override {
    const std::size_t count = request_.copy(to, size);
    request_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) override {
    head_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/, int& /*port*/) const override {}
  [[nodiscard]] socket_t socket() const override { return INVALID_SOCKET; }

  std::string take_head() { return std::move(head_); }

 private:
  std::string_view request_;
  std::string head_;
};

bool same_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, comma);
    list.remove_prefix(std::min(comma + 1, list.size()));
    one.remove_prefix(std::min(one.find_first_not_of(" \t"), one.size()));
    one = one.substr(0, one.find_last_not_of(" \t") + 1);
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == "*" || one == tag) return true;
  }
  return false;
}

}  // namespace

struct PageResponder::Parts : private httplib::Server {
  Parts(PageServer::Source source, int port) : source_(std::move(source)), port_(port) {
    set_default_headers({{"X-Content-Type-Options", "nosniff"},
                         {"Referrer-Policy", "no-referrer"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Content-Security-Policy", "frame-ancestors 'none'"},
                         {"Cache-Control", "no-cache"},
                         {"Accept-Ranges", "none"}});
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      decide(request, response);
      return HandlerResponse::Handled;
    });
  }

  PageAnswer answer(std::string_view request) {
    body_.reset();
    RequestStream stream(request);
    bool closed = true;
    process_request(stream, true, closed, [](httplib::Request& parsed) {
      // Parts of an answer are never sent, because a request may name thousands of parts. The body of a
      // request is not read.
      parsed.ranges.clear();
      parsed.headers.erase("Expect");
    });
    return {stream.take_head(), std::move(body_)};
  }

 private:
  void decide(const httplib::Request& request, httplib::Response& response) {
    if (!is_for_us(request)) {
      say(request, response, 421, fmt::format("This is http://127.0.0.1:{}/ and nothing else.\n", port_));
    } else if (request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      say(request, response, 405, "There is nothing to change here; only GET and HEAD are possible.\n");
    } else if (has_body(request)) {
      say(request, response, 413, "A request must not have a body.\n");
    } else {
      show(request, response);
    }
  }

  void show(const httplib::Request& request, httplib::Response& response) {
    const std::shared_ptr<const Contents> contents = source_();
    const auto found = contents->find(request.path);
    if (found == contents->end()) {
      say(request, response, 404, "There is nothing here; the page is at /.\n");
      return;
    }
    const Content& content = found->second;
    response.set_header("ETag", content.tag);
    const auto [first, last] = request.headers.equal_range("If-None-Match");
    const bool known =
        std::any_of(first, last, [&](const auto& h) { return same_tag(h.second, content.tag); });
    if (known) {
      response.status = 304;
      response.set_header("Content-Length", std::to_string(content.bytes.size()));  // as with status 200
    } else {
      send(request, response, 200, content.type,
           std::shared_ptr<const std::string>(contents, &content.bytes));
    }
  }

  [[nodiscard]] bool is_for_us(const httplib::Request& request) const {
    if (request.get_header_value_count("Host") != 1) return false;
    std::string host = request.get_header_value("Host");
    std::transform(host.begin(), host.end(), host.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const std::string port = fmt::format(":{}", port_);
    if (host.ends_with(port)) host.resize(host.size() - port.size());
    return host == "127.0.0.1" || host == "localhost";
  }

  static bool has_body(const httplib::Request& request) {
    const auto [first, last] = request.headers.equal_range("Content-Length");
    return request.has_header("Transfer-Encoding") ||
           std::any_of(first, last, [](const auto& header) { return header.second != "0"; });
  }

  void say(const httplib::Request& request, httplib::Response& response, int status, std::string text) {
    send(request, response, status, "text/plain; charset=utf-8",
         std::make_shared<const std::string>(std::move(text)));
  }

  /// set_content is not used, because httplib would copy the bytes and compress them anew for each client.
  void send(const httplib::Request& request, httplib::Response& response, int status, const std::string& type,
            std::shared_ptr<const std::string> bytes) {
    response.status = status;
    response.set_header("Content-Type", type);
    response.set_header("Content-Length", std::to_string(bytes->size()));
    if (request.method != "HEAD") body_ = std::move(bytes);
  }

  PageServer::Source source_;
  int port_;
  std::shared_ptr<const std::string> body_;  // of the present answer
};

PageResponder::PageResponder(PageServer::Source source, int port) {
  // The constructor of httplib makes the whole process ignore SIGPIPE. That is not needed here, and it is
  // not for this class to decide.
  struct sigaction before = {};
  ::sigaction(SIGPIPE, nullptr, &before);
  parts_ = std::make_unique<Parts>(std::move(source), port);
  ::sigaction(SIGPIPE, &before, nullptr);
}

PageResponder::~PageResponder() = default;

PageAnswer PageResponder::answer(std::string_view request) { return parts_->answer(request); }

}  // namespace assay::cli
