#include "assay/page_server.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <list>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/page_responder.hpp"
#include "core/bytes.hpp"

namespace assay::cli {
namespace {

using ServerClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostConnections = 512;  // well below 1024, the usual limit of open files
constexpr std::size_t kLongestHead = 16'384;   // of a request; browsers send about 1000 bytes
constexpr milliseconds kReadTime{5000};        // for the whole head
constexpr milliseconds kWriteTime{10'000};     // for the whole answer
constexpr milliseconds kLeaveTime{2000};       // until the client has closed its side
constexpr milliseconds kGraceTime{1000};       // before a new connection may replace an old one
constexpr milliseconds kPauseTime{100};        // before a failed request to the system is repeated

/// A file descriptor that closes itself.
class OwnedFd {
 public:
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

struct Connection {
  enum class Stage { kReading, kWriting, kLeaving, kGone };

  explicit Connection(int fd) : socket(fd), begin(ServerClock::now()), deadline(begin + kReadTime) {}

  OwnedFd socket;
  ServerClock::time_point begin, deadline;
  Stage stage = Stage::kReading;
  std::string request;
  PageAnswer answer;
  std::size_t head_sent = 0, body_sent = 0;

  void enter(Stage next, milliseconds time) {
    stage = next;
    deadline = ServerClock::now() + time;
  }

  [[nodiscard]] short events() const { return stage == Stage::kWriting ? POLLOUT : POLLIN; }

  /// Sends as much as possible without waiting.
  void advance(PageResponder& responder) {
    try {
      if (stage == Stage::kReading) read(responder);
      if (stage == Stage::kWriting) write();
      if (stage == Stage::kLeaving) leave();
    } catch (const std::exception&) {  // out of memory: the other connections continue
      stage = Stage::kGone;
    }
  }

 private:
  /// The bytes that have arrived; 0 if there are none yet. If no more can come, the connection is closed.
  std::size_t receive(std::span<char> to) {
    const ssize_t count = ::recv(socket.get(), to.data(), to.size(), 0);
    if (count > 0) return static_cast<std::size_t>(count);
    const bool later = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    if (!later) stage = Stage::kGone;
    return 0;
  }

  void read(PageResponder& responder) {
    std::array<char, 4096> bytes;
    const std::size_t before = request.size();
    request.append(bytes.data(), receive(bytes));
    const std::size_t end = request.find("\r\n\r\n", before - std::min<std::size_t>(before, 3));
    if (end != std::string::npos) {
      answer = responder.answer(std::string_view(request).substr(0, end + 4));
    } else if (request.size() > kLongestHead) {
      answer.head =
          "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    } else {
      return;
    }
    request = {};
    enter(Stage::kWriting, kWriteTime);
  }

  /// False if the client does not accept more now, or never will.
  bool send(std::string_view text, std::size_t& sent, int flags) {
    while (sent < text.size()) {
      const ssize_t count =
          ::send(socket.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL | flags);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) stage = Stage::kGone;
      if (count < 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  void write() {
    if (!send(answer.head, head_sent, answer.body ? MSG_MORE : 0)) return;
    if (answer.body && !send(*answer.body, body_sent, 0)) return;
    answer = {};
    ::shutdown(socket.get(), SHUT_WR);
    enter(Stage::kLeaving, kLeaveTime);
  }

  /// Closing a connection with unread input would reset it, and the answer could be lost.
  void leave() {
    std::array<char, 65'536> unread;
    receive(unread);
  }
};

/// Returns the port. No other process may share it, so SO_REUSEPORT is not set. A port that a server has
/// just left is free.
int listen_on_loopback(const OwnedFd& listener, int port) {
  const int yes = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool listens =
      listener.get() >= 0 && ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener.get(), kMostConnections) == 0;
  if (!listens) {
    const std::string why = std::generic_category().message(errno);
    throw Error(fmt::format("cannot listen on 127.0.0.1:{}: {}; port 0 takes any that is free", port, why));
  }
  socklen_t size = sizeof address;
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

struct PageServer::Parts {
  Parts(Source source, int wanted)
      : listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
        wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
        port(listen_on_loopback(listener, wanted)),
        responder(std::move(source), port) {
    if (wake.get() < 0) throw Error("cannot serve: no file descriptors are left");
  }

  /// False if all connections are in use; otherwise there is room, or a connection that may be closed.
  [[nodiscard]] bool may_accept(ServerClock::time_point now) {
    if (now < pause_until) return false;
    return connections.size() < kMostConnections || dispensable(now) != connections.end();
  }

  /// The oldest connection that has had its time and waits for the client.
  std::list<Connection>::iterator dispensable(ServerClock::time_point now) {
    return std::find_if(connections.begin(), connections.end(), [&](const Connection& connection) {
      return connection.stage != Connection::Stage::kWriting && connection.begin + kGraceTime < now;
    });
  }

  void accept_waiting() {
    while (may_accept(ServerClock::now())) {
      const int fd = ::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) {
        // Only errors of a system without memory or file descriptors persist.
        const bool lasts = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        if (lasts) pause_until = ServerClock::now() + kPauseTime;
        return;
      }
      if (connections.size() >= kMostConnections) connections.erase(dispensable(ServerClock::now()));
      connections.emplace_back(fd);
    }
  }

  void drop_overdue(ServerClock::time_point now) {
    std::erase_if(connections, [&](const Connection& connection) {
      return connection.stage == Connection::Stage::kGone || connection.deadline <= now;
    });
  }

  /// Waits until some connection can continue. False if it is time to stop.
  bool wait(std::vector<pollfd>& watched) {
    const ServerClock::time_point now = ServerClock::now();
    const bool open = may_accept(now);
    watched = {{wake.get(), POLLIN, 0}, {open ? listener.get() : -1, POLLIN, 0}};
    ServerClock::time_point next = now + (open ? std::chrono::hours(1) : kPauseTime);
    for (const Connection& connection : connections) {
      watched.push_back({connection.socket.get(), connection.events(), 0});
      next = std::min(next, connection.deadline);
    }
    const auto time = std::chrono::ceil<milliseconds>(next - now).count();
    if (::poll(watched.data(), watched.size(), static_cast<int>(time)) < 0) {
      for (pollfd& one : watched) one.revents = 0;  // after a signal nothing is known
    }
    return watched.front().revents == 0;
  }

  OwnedFd listener, wake;
  int port;
  PageResponder responder;
  std::list<Connection> connections;  // the oldest first
  ServerClock::time_point pause_until;
};

Content make_content(std::string type, std::string bytes) {
  std::string tag = fmt::format("\"{:016x}\"", checksum(bytes));
  return {std::move(type), std::move(bytes), std::move(tag)};
}

PageServer::PageServer(Source source, int port) : parts_(std::make_unique<Parts>(std::move(source), port)) {}
PageServer::~PageServer() = default;

int PageServer::port() const { return parts_->port; }

void PageServer::run() {
  std::vector<pollfd> watched;
  while (parts_->wait(watched)) {
    auto events = watched.begin() + 2;
    for (Connection& connection : parts_->connections) {
      if ((events++)->revents != 0) connection.advance(parts_->responder);
    }
    parts_->drop_overdue(ServerClock::now());
    if (watched[1].revents != 0) parts_->accept_waiting();
  }
  parts_->connections.clear();
}

void PageServer::stop() noexcept {
  const int error = errno;  // a signal handler must not change it
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(parts_->wake.get(), &one, sizeof one);
  errno = error;
}

}  // namespace assay::cli
