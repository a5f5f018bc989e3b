# SPDX-License-Identifier: BSD-3-Clause
"""Real Linux hosts around a real switch: namespaces, veth pairs, guests, and their commands."""
