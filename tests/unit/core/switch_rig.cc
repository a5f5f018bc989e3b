// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/core/switch_rig.h"

#include <algorithm>
#include <new>

#include <gtest/gtest.h>

#include "config/load.h"
#include "dataplane/core/checksum.h"
#include "dataplane/core/protocols.h"
#include "dataplane/core/wire.h"

namespace weir {

namespace {

std::unique_ptr<const CompiledTables> compiled(const std::string& yaml,
                                               const SwitchRig::Adjust& adjust,
                                               const CompiledTables* previous) {
    Problems problems;
    const auto loaded = load_text("rig.yaml", yaml, problems);
    if (loaded == nullptr) {
        ADD_FAILURE() << "the rig's configuration has problems";
        return nullptr;
    }
    PortFacts facts;
    for (std::size_t port = 0; port < loaded->settings.ports.size(); ++port) {
        facts.ports.push_back({.mac = {kPortMacs.value + port}, .speed_bps = 100'000'000'000});
    }
    auto tables = compile(loaded->settings, facts, previous);
    if (adjust) adjust(const_cast<CompiledTables&>(*tables));
    return tables;
}

// Not by assignment: that would copy 100 KB.
void clear(Effects& effects) {
    effects.freed.clear();
    effects.floods.clear();
    effects.own.clear();
    for (auto& frames : effects.hand_offs) frames.clear();
    effects.messages.clear();
    effects.events.clear();
}

}  // namespace

SwitchRig::SwitchRig(const std::string& yaml, const Adjust& adjust)
    : tables_(compiled(yaml, adjust, nullptr)) {
    const ShardOptions options{.ports = 16, .frames_max = 4'096, .path_rules = 16};
    const std::size_t bytes = Shard::memory_bytes(options);
    memory_.reset(new (std::align_val_t{Arena::kAlign}) std::byte[bytes]);
    for (PortId port = 0; port < options.ports; ++port) condition_.set_port_up(port, true);
    shard = std::make_unique<Shard>(options, condition_, std::span{memory_.get(), bytes});
    shard->adopt(now, tables_->tables, *effects);
    take_effects();
    events.clear();
}

Frame SwitchRig::make(std::span<const std::uint8_t> bytes) {
    auto memory = std::make_unique<std::uint8_t[]>(kFrameHeadroomBytes + bytes.size());
    void* handle = memory.get();
    std::uint8_t* data = memory.get() + kFrameHeadroomBytes;
    std::copy(bytes.begin(), bytes.end(), data);
    const auto length = static_cast<std::uint16_t>(bytes.size());
    const Frame frame{.data = data, .handle = handle, .length = length, .readable = length};
    frames_.emplace(handle, std::move(memory));
    return frame;
}

void SwitchRig::let_go(void* handle) {
    ASSERT_EQ(frames_.erase(handle), 1u) << "a frame was let go twice";
}

// What the worker does after each call.
void SwitchRig::take_effects() {
    floods.assign(effects->floods.all().begin(), effects->floods.all().end());
    const std::vector<OwnFrame> own(effects->own.all().begin(), effects->own.all().end());
    for (void* handle : effects->freed.all()) let_go(handle);
    messages.assign(effects->messages.all().begin(), effects->messages.all().end());
    events.insert(events.end(), effects->events.all().begin(), effects->events.all().end());
    clear(*effects);
    for (const FloodRequest& request : floods) {
        request.ports.for_each([&](PortId port) {
            Frame copy = make({request.frame.data, request.frame.length});
            const Frame bytes = copy;
            copy = request.frame;
            copy.data = bytes.data;
            copy.handle = bytes.handle;
            copy.out_port = port;
            shard->enqueue(now, {&copy, 1}, *effects);
        });
        let_go(request.frame.handle);
    }
    for (const OwnFrame& frame : own) {
        Frame made = make(std::span{frame.bytes}.first(frame.length));
        made.out_port = frame.out_port;
        made.priority = frame.priority;
        shard->originate(made, *effects);
    }
    for (void* handle : effects->freed.all()) let_go(handle);
    clear(*effects);
}

void SwitchRig::receive(PortId port, const std::vector<Octets>& burst) {
    for (std::size_t first = 0; first < burst.size(); first += kBurstMax) {
        std::vector<Frame> frames;
        const std::size_t behind = std::min<std::size_t>(first + kBurstMax, burst.size());
        for (std::size_t i = first; i < behind; ++i) frames.push_back(make(burst[i]));
        shard->receive(now, port, frames, *effects);
        take_effects();
    }
}

std::vector<Octets> SwitchRig::offer_and_take(PortId port, unsigned room, unsigned taken) {
    const std::span<const Frame> offered = shard->offer(now, port, room);
    std::vector<Octets> frames;
    std::vector<void*> handles;
    for (const Frame& frame : offered.first(std::min<std::size_t>(taken, offered.size()))) {
        frames.emplace_back(frame.data, frame.data + frame.length);
        handles.push_back(frame.handle);
    }
    shard->commit(now, port, static_cast<unsigned>(frames.size()), *effects);
    for (void* handle : handles) let_go(handle);
    take_effects();
    return frames;
}

std::vector<Octets> SwitchRig::sent(PortId port) {
    std::vector<Octets> all;
    while (true) {
        std::vector<Octets> some = offer_and_take(port, kBurstMax, kBurstMax);
        if (some.empty()) return all;
        std::move(some.begin(), some.end(), std::back_inserter(all));
    }
}

void SwitchRig::tick() {
    shard->tick(now, *effects);
    take_effects();
}

void SwitchRig::force_pause(PortId port, std::uint8_t priorities) {
    shard->force_pause(now, port, priorities, *effects);
    take_effects();
}

void SwitchRig::guard_ring(PortId port, std::uint32_t frames) {
    shard->guard_ring(now, port, frames, *effects);
    take_effects();
}

void SwitchRig::set_up(PortId port, bool up) {
    condition_.set_port_up(port, up);
    shard->link_changed(now, port, up, *effects);
    take_effects();
}

void SwitchRig::reroute() {
    for (bool more = true; more;) {
        more = shard->reroute(now, *effects);
        take_effects();
    }
}

void SwitchRig::reload(const std::string& yaml, const Adjust& adjust) {
    auto next = compiled(yaml, adjust, tables_.get());
    shard->adopt(now, next->tables, *effects);
    tables_before_ = std::move(tables_);
    tables_ = std::move(next);
    take_effects();
}

std::uint64_t SwitchRig::drops(PortId port, DropReason reason) const {
    return shard->counters(port).drops[static_cast<unsigned>(reason)].read();
}

std::uint64_t SwitchRig::all_drops() const {
    std::uint64_t sum = 0;
    for (PortId port = 0; port < 16; ++port) {
        for (const Counter& counter : shard->counters(port).drops) sum += counter.read();
    }
    return sum;
}

Octets udp(const UdpFrame& fields) {
    Octets frame(fields.bytes);
    std::uint8_t* at = frame.data();
    write_mac(at, fields.destination);
    write_mac(at + 6, fields.source);
    write_be16(at + 12, kEtherTypeIpv4);
    std::uint8_t* ip = at + 14;
    ip[0] = 0x45;
    ip[1] = static_cast<std::uint8_t>(fields.dscp << 2 | fields.ecn);
    write_be16(ip + 2, static_cast<std::uint16_t>(fields.bytes - 14));
    ip[8] = fields.ttl;
    ip[9] = kProtocolUdp;
    write_be32(ip + 12, fields.from);
    write_be32(ip + 16, fields.to);
    write_be16(ip + 10, checksum_of(checksum_sum(ip, 20)));
    write_be16(ip + 20, fields.source_port);
    write_be16(ip + 22, fields.destination_port);
    write_be16(ip + 24, static_cast<std::uint16_t>(fields.bytes - 34));
    ip[28] = 0x0a;  // RC WRITE only
    ip[33] = static_cast<std::uint8_t>(fields.dest_qp >> 16);
    write_be16(ip + 34, static_cast<std::uint16_t>(fields.dest_qp));
    if (fields.tci >= 0) {
        const std::uint8_t tag[4] = {0x81, 0x00, static_cast<std::uint8_t>(fields.tci >> 8),
                                     static_cast<std::uint8_t>(fields.tci)};
        frame.insert(frame.begin() + 12, tag, tag + 4);
    }
    return frame;
}

bool ipv4_checksum_is_right(const Octets& frame) {
    const std::size_t ip = frame[12] == 0x81 ? 18 : 14;
    return ipv4_header_right(frame.data() + ip, (frame[ip] & 0x0fu) * 4u);
}

}  // namespace weir
