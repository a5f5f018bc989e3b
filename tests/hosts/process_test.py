# SPDX-License-Identifier: BSD-3-Clause
"""The process: killed and started again, two workers, hugepages, live reload."""
import copy

from lib import require, runner
from lib.host import ping_result
from lib.rig import Rig
from lib.weir import HUGEPAGES, NO_HUGEPAGES, Weir, af_packet_port, settled

NEEDS = (*require.hosts, require.programs("iperf3"))


def bridge(workers=None):
    return {
        "switch": {"name": "s1"},
        **({"workers": {"cores": workers}} if workers else {}),
        "ports": [af_packet_port(i) for i in range(2)],
    }


class Process(runner.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require.need(*NEEDS)
        cls.rig = Rig(hosts=2)
        cls.left, cls.right = cls.rig.hosts
        for number, host in enumerate(cls.rig.hosts, 1):
            host.add_address(f"10.1.0.{number}/24")
            host.add_address(f"fd00:1::{number}/64")

    def start(self, config, memory=NO_HUGEPAGES):
        weir = Weir(self.rig.folder, config, self.rig.switch_side, memory)
        self.addCleanup(weir.kill)
        return weir

    def assert_hosts_talk(self):
        for address in ("10.1.0.2", "fd00:1::2"):
            result = self.left.ping(address)
            self.assertEqual(result.lost, 0, result.text)

    def test_starts_again_after_being_killed(self):
        weir = self.start(bridge())
        self.assert_hosts_talk()
        for _ in range(2):
            weir.kill()
            self.assertEqual(self.left.ping("10.1.0.2", count=1, wait=1).received, 0)
            weir.start()
            self.assert_hosts_talk()
        weir.stop()

    def test_two_workers_hand_frames_to_each_other(self):
        require.need(require.cores(2))
        weir = self.start(bridge([0, 1]))
        self.assert_hosts_talk()
        result = self.left.iperf3_to(self.right, "10.1.0.2")
        print(f"\n    {result}", end="")
        self.assertGreater(result.bytes_received, 0)
        weir.stop()

    def test_runs_on_hugepages(self):
        require.need(require.hugepages(128))
        weir = self.start(bridge(), HUGEPAGES)
        self.assert_hosts_talk()
        weir.stop()

    def test_reload_under_traffic_loses_nothing(self):
        config = bridge()
        weir = self.start(config)
        self.assert_hosts_talk()
        pinging = self.left.start_ping("10.1.0.2", count=400, interval=0.01)
        for number in range(1, 6):
            changed = copy.deepcopy(config)
            changed["macs"] = [{"mac": f"02:00:00:00:09:0{number}", "port": "p1"}]
            weir.save(changed)
            self.assertTrue(settled(lambda: f":09:0{number}" in weir.console("show mac")),
                            "the saved file is not in force")
        result = ping_result(pinging, 30)
        self.assertEqual((result.sent, result.lost), (400, 0), result.text)
        weir.stop()

    def test_bad_file_changes_nothing(self):
        weir = self.start(bridge())
        weir.file.write_text("switch: {name: s1}\nprots: []\n")
        answer = weir.console("reload")
        self.assertIn("prots", answer)
        self.assertIn("ports", answer)
        self.assert_hosts_talk()
        weir.stop()


if __name__ == "__main__":
    runner.run(seconds=270)
