// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/mbuf_frames.h"

#include <gtest/gtest.h>

#include "dataplane/io/frame_pool.h"

namespace weir {
namespace {

class MbufFramesTest : public testing::Test {
  protected:
    MbufFramesTest() {
        FramePoolOptions options;
        options.frames = 63;
        options.frame_bytes_max = 2000;
        options.name = "mbuf_frames_test";
        EXPECT_EQ(pool_.open(options), "");
    }
    ~MbufFramesTest() override { EXPECT_EQ(pool_.in_use(), 0u); }

    // A frame of `length` bytes 0, 1, 2 ...
    rte_mbuf* make(std::uint16_t length) {
        rte_mbuf* mbuf = nullptr;
        EXPECT_TRUE(take_mbufs(pool_.pool(), {&mbuf, 1}));
        auto* bytes = reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(mbuf, length));
        for (std::uint16_t i = 0; i < length; ++i) bytes[i] = static_cast<std::uint8_t>(i);
        return mbuf;
    }
    Frame frame_of(rte_mbuf* mbuf) {
        Frame frame;
        EXPECT_EQ(frames_of({&mbuf, 1}, &frame), 1u);
        return frame;
    }

    FramePool pool_;
};

TEST_F(MbufFramesTest, AFrameIsAViewOfItsMbuf) {
    rte_mbuf* mbuf = make(100);
    const Frame frame = frame_of(mbuf);
    EXPECT_EQ(frame.handle, mbuf);
    EXPECT_EQ(frame.data, rte_pktmbuf_mtod(mbuf, std::uint8_t*));
    EXPECT_EQ(frame.length, 100);
    EXPECT_EQ(frame.readable, 100);
    EXPECT_EQ(frame.in_port, kNoPort);
    EXPECT_EQ(frame.flags, 0);
    rte_pktmbuf_free(mbuf);
}

// A tag of four bytes was pushed: the mbuf begins four bytes earlier, at 124 of its headroom of
// 128.
TEST_F(MbufFramesTest, AMovedFrameMovesItsMbuf) {
    rte_mbuf* mbuf = make(100);
    Frame frame = frame_of(mbuf);
    frame.data -= 4;
    frame.length = 104;
    MbufBurst mbufs;
    mbufs_of({&frame, 1}, mbufs);
    EXPECT_EQ(mbufs[0], mbuf);
    EXPECT_EQ(mbuf->data_off, 128) << "nothing said that it moved";
    EXPECT_EQ(mbuf->pkt_len, 100u);
    frame.flags |= frame_flags::kMoved;
    mbufs_of({&frame, 1}, mbufs);
    EXPECT_EQ(mbuf->data_off, 124);
    EXPECT_EQ(mbuf->pkt_len, 104u);
    EXPECT_EQ(mbuf->data_len, 104u);
    rte_pktmbuf_free(mbuf);
}

TEST_F(MbufFramesTest, ACopyHasItsOwnBytes) {
    rte_mbuf* mbuf = make(100);
    Frame original = frame_of(mbuf);
    original.data += 4;  // a tag was taken off
    original.length = 96;
    original.flags = frame_flags::kMoved | frame_flags::kIpv4;
    original.vlan = 7;
    rte_mbuf* other = make(1);
    rte_pktmbuf_reset(other);
    const Frame copy = copy_into(other, original);
    EXPECT_EQ(copy.handle, other);
    EXPECT_NE(copy.data, original.data);
    EXPECT_EQ(copy.vlan, 7);
    EXPECT_EQ(copy.flags, frame_flags::kIpv4);
    EXPECT_EQ(other->pkt_len, 96u);
    EXPECT_EQ(std::memcmp(copy.data, original.data, 96), 0);
    copy.data[0] = 0xee;
    EXPECT_EQ(original.data[0], 4);
    rte_pktmbuf_free(mbuf);
    rte_pktmbuf_free(other);
}

TEST_F(MbufFramesTest, AnOwnFrameIsMadeAsAsked) {
    OwnFrame own;
    own.out_port = 3;
    own.length = 60;
    own.priority = 6;
    for (std::size_t i = 0; i < 60; ++i) own.bytes[i] = static_cast<std::uint8_t>(200 - i);
    rte_mbuf* mbuf = nullptr;
    ASSERT_TRUE(take_mbufs(pool_.pool(), {&mbuf, 1}));
    const Frame frame = own_frame_in(mbuf, own);
    EXPECT_EQ(frame.out_port, 3);
    EXPECT_EQ(frame.priority, 6);
    EXPECT_EQ(frame.length, 60);
    EXPECT_EQ(mbuf->pkt_len, 60u);
    EXPECT_EQ(mbuf->data_len, 60u);
    EXPECT_EQ(std::memcmp(rte_pktmbuf_mtod(mbuf, void*), own.bytes.data(), 60), 0);
    rte_pktmbuf_free(mbuf);
}

TEST_F(MbufFramesTest, MbufsAreTakenAllOrNone) {
    std::vector<rte_mbuf*> mbufs(64);
    EXPECT_FALSE(take_mbufs(pool_.pool(), mbufs));
    EXPECT_EQ(pool_.in_use(), 0u);
    EXPECT_TRUE(take_mbufs(pool_.pool(), std::span(mbufs).first(63)));
    std::vector<void*> handles(mbufs.begin(), mbufs.begin() + 63);
    free_frames(handles);
}

}  // namespace
}  // namespace weir
