// SPDX-License-Identifier: BSD-3-Clause
#include "tools/weir/console/socket_server.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

#include "tools/weir/console/unix_socket.h"

namespace weir {

std::string SocketServer::open(const std::string& path) {
    OpenedSocket opened = listen_at(path);
    if (opened.fd >= 0) listeners_.push_back({opened.fd, path});
    return opened.problem;
}

void SocketServer::close_all() {
    for (const Client& client : clients_) close(client.fd);
    clients_.clear();
    for (const Listener& listener : listeners_) {
        close(listener.fd);
        unlink(listener.path.c_str());
    }
    listeners_.clear();
}

void SocketServer::add_waits(std::vector<pollfd>& waits) const {
    for (const Listener& listener : listeners_) waits.push_back({listener.fd, POLLIN, 0});
    for (const Client& client : clients_) {
        // While an answer is on its way out nothing new is read: a client that does not read its
        // answers holds up itself only.
        const bool writing = !client.output.empty();
        waits.push_back({client.fd, static_cast<short>(writing ? POLLOUT : POLLIN), 0});
    }
}

void SocketServer::serve(const std::vector<pollfd>& waits) {
    const auto ready = [&waits](int fd) {
        return std::any_of(waits.begin(), waits.end(),
                           [fd](const pollfd& wait) { return wait.fd == fd && wait.revents != 0; });
    };
    for (const Listener& listener : listeners_) {
        if (ready(listener.fd)) accept_clients(listener.fd);
    }
    for (Client& client : clients_) {
        if (!ready(client.fd)) continue;
        if (!client.output.empty())
            write_to(client);
        else
            read_from(client);
        answer_lines(client);
    }
    std::erase_if(clients_, [](const Client& client) {
        const bool over = client.broken || (client.ended && client.output.empty());
        if (over) close(client.fd);
        return over;
    });
}

void SocketServer::accept_clients(int listener) {
    for (;;) {
        const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0) return;
        Client& client = clients_.emplace_back();
        client.fd = fd;
        if (clients_.size() <= kClientsMax) continue;
        client.ended = true;
        client.output = "error: too many sessions; end another one first\n";
        client.output.push_back(kAnswerEnd);
        write_to(client);
    }
}

void SocketServer::read_from(Client& client) {
    std::array<char, 4096> bytes{};
    const ssize_t count = read(client.fd, bytes.data(), bytes.size());
    if (count > 0) {
        client.input.add({bytes.data(), static_cast<std::size_t>(count)});
    } else if (count == 0) {
        client.input_ended = true;
    } else if (errno != EINTR && errno != EAGAIN) {
        client.broken = true;
    }
}

void SocketServer::answer_lines(Client& client) {
    std::string line;
    while (!client.ended && !client.broken && client.output.empty()) {
        if (!client.input.next(line)) {
            if (!client.input_ended) break;
            client.ended = true;
            line = client.input.rest();  // without a line end
            if (line.empty()) break;
        }
        client.output = answer(client, line);
        // An answer may quote any byte that was sent; the end is one byte and only so.
        std::replace(client.output.begin(), client.output.end(), kAnswerEnd, '?');
        client.output.push_back(kAnswerEnd);
        client.ended = client.ended || client.session.ended;
        write_to(client);
    }
    if (client.input.too_long() && !client.ended) {
        client.output +=
            "error: a line has at most " + std::to_string(LineBuffer::kLineBytesMax) + " bytes\n";
        client.output.push_back(kAnswerEnd);
        client.ended = true;
        write_to(client);
    }
}

std::string SocketServer::answer(Client& client, const std::string& line) const {
    if (line == kAskPrompt) return host_.prompt(client.session);
    if (line.starts_with(kAskCompletion)) {
        std::string text;
        for (const auto& item :
             host_.complete(client.session, line.substr(kAskCompletion.size()))) {
            text += item.word + '\t' + item.help + '\t' + (item.literal ? '1' : '0') + '\n';
        }
        return text;
    }
    return host_.answer(client.session, line).text;
}

void SocketServer::write_to(Client& client) {
    while (!client.output.empty()) {
        const ssize_t count =
            send(client.fd, client.output.data(), client.output.size(), MSG_NOSIGNAL);
        if (count > 0) {
            client.output.erase(0, static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            client.broken = errno != EAGAIN;
            return;
        }
    }
}

}  // namespace weir
