// A few texts over HTTP, to browsers on this machine and to nobody else.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace assay::cli {

/// What one path answers with.
struct Content {
  std::string type;  // such as "application/json"
  std::string bytes;
  std::string tag;  // the same for the same bytes only, so that a browser need not fetch them twice
};

/// With the tag made from the bytes.
Content make_content(std::string type, std::string bytes);

/// By path, such as "/". No other path leads anywhere: nothing is ever looked up on the disk.
using Contents = std::map<std::string, Content, std::less<>>;

/// Listens on 127.0.0.1 only, and answers only those who ask for that host: a page from elsewhere whose name
/// is made to point here (DNS rebinding) gets nothing.
///
/// One thread serves all connections, each as far as it can go without waiting. So a client that sends
/// nothing, or a byte now and then, or does not read, delays no other one; it is dropped after some seconds.
class PageServer {
 public:
  /// Asked at each request, in the thread that runs; all contents are of one moment.
  using Source = std::function<std::shared_ptr<const Contents>()>;

  /// Whoever connects from now on is answered once it runs. Port 0 is any free one; throws Error if it cannot
  /// be had.
  PageServer(Source source, int port);
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;
  ~PageServer();

  [[nodiscard]] int port() const;

  /// Serves until stop() is called, also if that was before.
  void run();
  /// From any thread or signal handler.
  void stop() noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace assay::cli
