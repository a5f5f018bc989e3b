// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/run/outlet.h"

#include "dataplane/core/own_datagram.h"

namespace weir {

void Outlet::originate_all(Seat& seat, Effects& effects) {
    std::array<rte_mbuf*, Effects::kOwnMax> mbufs;
    const std::span<OwnFrame> own = effects.own.all();
    if (take_mbufs(pool_, {mbufs.data(), own.size()})) {
        for (std::size_t i = 0; i < own.size(); ++i) {
            seat.shard->originate(own_frame_in(mbufs[i], own[i]), effects);
        }
    } else {
        for (const OwnFrame& frame : own) {
            seat.shard->count_drop(frame.out_port, DropReason::FrameMemoryExhausted, 1);
        }
    }
    effects.own.clear();
    if (!effects.freed.empty()) free_all(effects);  // own frames that found no room
}

void Outlet::send_notices(Seat& seat, Effects& effects) {
    for (UnsignedNotice& notice : effects.notices.all()) {
        rte_mbuf* mbuf = nullptr;
        if (!take_mbufs(pool_, {&mbuf, 1})) {
            seat.shard->count_drop(notice.out_port, DropReason::FrameMemoryExhausted, 1);
            continue;
        }
        seat.notice_key->sign(notice.payload());
        finish_datagram(notice.bytes.data());
        seat.shard->originate(notice_frame_in(mbuf, notice), effects);
    }
    effects.notices.clear();
    if (!effects.freed.empty()) free_all(effects);  // that found no room
}

// Each is one frame's effects at a time: what it makes the shard say is carried out before the
// next.
void Outlet::check_notices(Time now, Seat& seat) {
    Bounded<HeardNotice, kBurstMax> heard;
    for (const HeardNotice& notice : effects_.heard_notices.all()) heard.push(notice);
    effects_.heard_notices.clear();
    for (HeardNotice& notice : heard.all()) {
        const bool authentic = seat.notice_key->is_signed(notice.payload);
        seat.shard->hear_notice(now, notice, authentic, effects_);
        free_frames({&notice.frame.handle, 1});
    }
    flush_one(seat, effects_);
}

void Outlet::hand_off(Seat& seat, ShardId to, std::span<const Frame> frames) {
    const unsigned taken = seat.rings->frames(seat.shard->id(), to).push(frames);
    if (taken == frames.size()) [[likely]]
        return;
    for (const Frame& frame : frames.subspan(taken)) {
        seat.shard->lose(frame.in_port, DropReason::HandOffFull, frame);
        void* handle = frame.handle;
        free_frames({&handle, 1});
    }
}

void Outlet::tell_all(Seat& seat, Effects& effects) {
    const std::span<const ShardMessage> news = effects.messages.all();
    for (unsigned to = 0; seat.rings != nullptr && to < seat.rings->shards(); ++to) {
        if (to == seat.shard->id()) continue;
        const unsigned taken =
            seat.rings->messages(seat.shard->id(), static_cast<ShardId>(to)).push(news);
        counters_->lost_messages.add(news.size() - taken);
    }
    effects.messages.clear();
}

void Outlet::report_all(Seat& seat, Effects& effects) {
    for (const Event& event : effects.events.all()) {
        const EventRecord record{event, seat.switch_index, seat.shard->id()};
        if (events_.ring() == nullptr || events_.push({&record, 1}) == 0) {
            counters_->lost_events.add(1);
        }
    }
    effects.events.clear();
}

void Outlet::flood_all(Time now, Seat& seat) {
    for (const FloodRequest& request : effects_.floods.all()) flood(now, seat, request);
    effects_.floods.clear();
}

// The last port gets the original, the others copies.
void Outlet::flood(Time now, Seat& seat, const FloodRequest& request) {
    unsigned ports_left = request.ports.size();
    request.ports.for_each([&](PortId port) {
        Frame frame = request.frame;
        if (--ports_left > 0) {
            rte_mbuf* mbuf = nullptr;
            if (!take_mbufs(pool_, {&mbuf, 1})) {
                seat.shard->lose(frame.in_port, DropReason::FrameMemoryExhausted, frame);
                return;
            }
            frame = copy_into(mbuf, request.frame);
        }
        frame.out_port = port;
        const ShardId owner = seat.adopted->ports[port].shard;
        if (owner != seat.shard->id()) {
            hand_off(seat, owner, {&frame, 1});
            return;
        }
        copies_.push(frame);
        if (copies_.room() == 0) enqueue_copies(now, seat);
    });
    if (!copies_.empty()) enqueue_copies(now, seat);
}

void Outlet::enqueue_copies(Time now, Seat& seat) {
    seat.shard->enqueue(now, copies_.all(), copies_effects_);
    copies_.clear();
    flush_one(seat, copies_effects_);
    WEIR_CHECK(copies_effects_.floods.empty());  // a copy has its port
}

}  // namespace weir
