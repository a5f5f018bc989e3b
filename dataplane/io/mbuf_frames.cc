// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/io/mbuf_frames.h"

namespace weir {

unsigned frames_of_chains(std::span<rte_mbuf* const> mbufs, Frame* frames) {
    unsigned count = 0;
    for (rte_mbuf* mbuf : mbufs) {
        if (mbuf->pkt_len > kFrameBytesMax || rte_pktmbuf_linearize(mbuf) != 0) {
            rte_pktmbuf_free(mbuf);
            continue;
        }
        frames[count++] = Frame{.data = rte_pktmbuf_mtod(mbuf, std::uint8_t*),
                                .handle = mbuf,
                                .length = mbuf->data_len,
                                .readable = mbuf->data_len};
    }
    return count;
}

}  // namespace weir
