"""Small disks and read-only folders: mounts that only this process and its children see."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

MAY_MOUNT = "FORKLAKE_TRUST_MOUNTS"
"""Set in processes that may mount what they like."""


def own_mounts() -> Sequence[str]:
    """What to put before a command so that it may mount; nothing where the machine does not let us."""
    # As root only: another user could be root in a namespace of users, where PostgreSQL would refuse to run.
    if os.geteuid() != 0:
        return []
    prefix = ["unshare", "--mount"]
    try:
        tried = subprocess.run([*prefix, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True)
    except OSError:
        return []
    return [*prefix, "env", f"{MAY_MOUNT}=1"] if tried.returncode == 0 else []


def may_mount() -> bool:
    return MAY_MOUNT in os.environ


class SmallDisk:
    """A file system of its own in a folder, with a size that can change."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "tmpfs", str(folder)], check=True)

    def resize(self, size: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=True)

    @contextmanager
    def full(self, *, free: int = 0) -> Iterator[None]:
        """Somebody else takes all the space but a little."""
        ballast = self.folder / "ballast"
        ballast.write_bytes(bytes(max(0, shutil.disk_usage(self.folder).free - free)))
        try:
            yield
        finally:
            ballast.unlink()

    def close(self) -> None:
        # Lazily: a Spark may still hold files that it has failed to write.
        subprocess.run(["umount", "--lazy", str(self.folder)], check=False)


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[SmallDisk]:
    disk = SmallDisk(folder, size)
    try:
        yield disk
    finally:
        disk.close()


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write below a folder, not even root."""
    subprocess.run(["mount", "--bind", str(folder), str(folder)], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
