# SPDX-License-Identifier: BSD-3-Clause
"""Makes the kernel and the initramfs of a Soft-RoCE guest from Debian's packages."""
