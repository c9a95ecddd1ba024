"""Faults of what is around a lake: disks, permissions, clocks, files, locks and servers."""
