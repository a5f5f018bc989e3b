// SPDX-License-Identifier: BSD-3-Clause
// The console over a UNIX socket. A line in, text out, and a NUL byte behind each answer:
//
//   show drops\n            ->  no frame was dropped\n\0
//   shwo drops\n            ->  error: no command shwo; did you mean show? (try help)\n\0
//
// Lines that begin with a TAB are for interactive clients: "\tprompt" asks for the prompt, and
// "\tcomplete LINE" for what may come next (word TAB help TAB 1 if it may be typed, one a line).
#pragma once

#include <string>
#include <vector>

#include <poll.h>

#include "tools/weir/console/session.h"
#include "tools/weir/console/stream.h"

namespace weir {

inline constexpr char kAnswerEnd = '\0';
inline constexpr std::string_view kAskPrompt = "\tprompt";
inline constexpr std::string_view kAskCompletion = "\tcomplete ";

class SocketServer {
  public:
    explicit SocketServer(const ConsoleHost& host) : host_(host) {}
    ~SocketServer() { close_all(); }
    SocketServer(const SocketServer&) = delete;
    SocketServer& operator=(const SocketServer&) = delete;

    // What is wrong, or empty. More than one path is fine.
    [[nodiscard]] std::string open(const std::string& path);
    void close_all();

    // For poll(): appends what to wait for; then serve() takes the same entries.
    void add_waits(std::vector<pollfd>& waits) const;
    void serve(const std::vector<pollfd>& waits);

    static constexpr std::size_t kClientsMax = 64;

  private:
    struct Listener {
        int fd = -1;
        std::string path;
    };
    struct Client {
        int fd = -1;
        bool input_ended = false;
        bool ended = false;  // to be closed when its output is out
        bool broken = false;
        LineBuffer input;
        std::string output;
        Session session;
    };

    void accept_clients(int listener);
    void read_from(Client& client);
    void answer_lines(Client& client);
    [[nodiscard]] std::string answer(Client& client, const std::string& line) const;
    static void write_to(Client& client);

    const ConsoleHost& host_;
    std::vector<Listener> listeners_;
    std::vector<Client> clients_;
};

}  // namespace weir
