// Serves a few texts over HTTP to browsers on this machine only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace assay::cli {

/// What one path returns.
struct Content {
  std::string type;  // such as "application/json"
  std::string bytes;
  std::string tag;  // the same for the same bytes only, so that a browser need not fetch them twice
};

/// Content whose tag is made from its bytes.
Content make_content(std::string type, std::string bytes);

/// The contents by path, such as "/". There are no other paths: nothing is looked up on the disk.
using Contents = std::map<std::string, Content, std::less<>>;

/// Listens on 127.0.0.1 only, and answers only requests for that host. A page of another site whose name is
/// made to point here (DNS rebinding) gets no answer.
///
/// One thread serves all connections, each as far as it can continue without waiting. A client that sends
/// nothing, or a byte now and then, or does not read therefore delays no other one; it is dropped after some
/// seconds.
class PageServer {
 public:
  /// Called for each request, in the thread that runs the server. All contents are of one moment.
  using Source = std::function<std::shared_ptr<const Contents>()>;

  /// Clients that connect from now on are answered when the server runs. Port 0 stands for any free port.
  /// Throws Error if the port is not available.
  PageServer(Source source, int port);
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();

  [[nodiscard]] int port() const;

  /// Serves until stop() is called, even if that happened before.
  void run();
  /// Any thread or signal handler may call it.
  void stop() noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace assay::cli
