"""The classes of Spark as a JVM keeps them: an archive that is mapped, instead of thousands of classes that are read.

The first JVM of ours that ends writes the archive of its classes, next to its final name. The next start gives it that
name. A lock that the writing JVM holds until it ends keeps others from writing too, and from using what is not
complete. The JVM checks an archive when it maps it, and does without if its own version, the jars or the contents are
others.

docs/decisions/0028-class-archive.md tells why.
"""

import os
import re
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import time

import pyspark

from forklake.errors import InvalidOption
from forklake.spark.session.session_settings import JAVA_OPTIONS

SETTING = "FORKLAKE_CLASS_ARCHIVE"

_CLASS_PATH = "spark.driver.extraClassPath"
_FOLDERS_OF_SETTINGS = ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR")
"""Folders that Spark adds to the class path, which the JVM allows in an archive only if they are empty."""
_JAVA_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")
"""Variables with more options of the JVM."""
_CONFLICTS = ("-Xshare", "SharedArchive", "ArchiveClassesAtExit", "-javaagent", "-agentlib", "-agentpath")
"""Options beside which a JVM does not start if it is to write an archive, or that ask for another one."""
_PATHS = ("SPARK_DIST_CLASSPATH", *_FOLDERS_OF_SETTINGS)
_OPTIONS = ("-XX:+VerifySharedSpaces", "-Xlog:cds*=off", "-XX:+IgnoreUnrecognizedVMOptions")
"""Contents are checked, nothing is printed, and another JVM than HotSpot starts as well."""
_SPLITS = re.compile(r"[\s\"'\\]")
"""What has a meaning in options of the JVM as Spark reads them."""
_UNUSED_SECONDS = 60 * 24 * 3600


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """What one start of a JVM does about the archive."""

    options: tuple[str, ...] = ()
    """Options of the JVM."""
    used: Path | None = None
    """The archive that is mapped."""
    lock: int | None = None
    """A file that the JVM inherits, if it is to write the archive: locked until it ends."""

    def discard(self) -> None:
        """Forget an archive with which the JVM did not start."""
        if self.used is not None:
            with suppress(OSError):
                self.used.unlink()


@contextmanager
def class_archive(settings: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> Iterator[ClassArchive]:
    """The archive for a JVM that starts in the block; nothing where there cannot be one."""
    archive = ClassArchive()
    if _is_wanted(settings, environment):
        # Without it, a start takes longer, and is otherwise the same.
        # RuntimeError: there is no home folder.
        with suppress(OSError, RuntimeError):
            archive = _find(_own_folder(environment), _key(settings, environment))
    try:
        yield archive
    finally:
        if archive.lock is not None:
            os.close(archive.lock)


def _is_wanted(settings: Mapping[str, str], environment: Mapping[str, str]) -> bool:
    given = environment.get(SETTING, "auto")
    if given not in ("auto", "off"):
        raise InvalidOption(f"{SETTING} is auto or off, not '{given}'.")
    options = [settings.get(name, "") for name in (JAVA_OPTIONS, "spark.driver.extraJavaOptions")]
    options += [environment.get(name, "") for name in _JAVA_OPTIONS]
    return (
        given == "auto"
        and os.name == "posix"
        and settings.get("spark.master", "").startswith("local")
        and not any(word in text for word in _CONFLICTS for text in options)
        and not any(_has_files(environment.get(name)) for name in _FOLDERS_OF_SETTINGS)
        and not _has_files(str(_spark_home(environment) / "conf"))
    )


def _has_files(folder: str | None) -> bool:
    with suppress(OSError):
        return bool(folder and os.listdir(folder))
    return False


def _own_folder(environment: Mapping[str, str]) -> Path:
    """The folder of archives. Raises OSError if others could write there: a JVM runs the code that it maps."""
    home = Path(environment.get("XDG_CACHE_HOME", ""))
    ours = (home if home.is_absolute() else Path.home() / ".cache") / "forklake"
    folder = ours / "classes"
    if _SPLITS.search(str(folder)):
        raise NotADirectoryError(f"Spark would split the name of {folder} in its options")
    for place in (ours, folder):
        # The mode of a folder is not that of its parents.
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_own(place.lstat(), place)
    return folder


def _check_own(found: os.stat_result, place: Path) -> None:
    of_others = found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if of_others or stat.S_ISLNK(found.st_mode):
        raise PermissionError(f"{place} can be written by others")


def _key(settings: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """What an archive depends on: the JVM, the jars of Spark, and the class path.

    Raises OSError if the JVM has no archive of its own classes, which ours would extend.
    """
    home = environment.get("JAVA_HOME")
    java = Path(home) / "bin" / "java" if home else Path(shutil.which("java", path=environment.get("PATH")) or "")
    machine = java.resolve().parent.parent
    parts = [
        *(_state(machine / name) for name in ("bin/java", "lib/modules", "release", "lib/server/classes.jsa")),
        *map(_state, sorted((_spark_home(environment) / "jars").iterdir())),
        *(f"{name}={environment.get(name, '')}" for name in _PATHS),
        settings.get(_CLASS_PATH, ""),
    ]
    return sha256("\n".join(parts).encode()).hexdigest()[:24]


def _state(file: Path) -> str:
    found = file.stat()
    return f"{file} {found.st_size} {found.st_mtime_ns}"


def _spark_home(environment: Mapping[str, str]) -> Path:
    """The folder of Spark, as PySpark finds it."""
    return Path(environment.get("SPARK_HOME") or Path(pyspark.__file__).parent)


def _find(folder: Path, key: str) -> ClassArchive:
    # Not on Windows, where there is no archive.
    import fcntl

    archive, written = _archive(folder, key), folder / f"{key}.new"
    lock = os.open(folder / f"{key}.lock", os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
    is_inherited = False
    try:
        # What is in use is not deleted as unused.
        os.utime(lock)
        if archive is None:
            # Raises BlockingIOError while another JVM writes.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_complete(written):
                written.replace(folder / f"{key}-{written.stat().st_size}.jsa")
            archive = _archive(folder, key)
        if archive is None:
            written.unlink(missing_ok=True)
            _remove_unused(folder)
            is_inherited = True
            return ClassArchive((f"-XX:ArchiveClassesAtExit={written}", *_OPTIONS), lock=lock)
        _check_own(archive.lstat(), archive)
        os.utime(archive)
        return ClassArchive((f"-XX:SharedArchiveFile={archive}", *_OPTIONS), used=archive)
    finally:
        if not is_inherited:
            os.close(lock)


def _archive(folder: Path, key: str) -> Path | None:
    """An archive of the size that is part of its name: a JVM that maps a shorter one crashes."""
    for file in folder.glob(f"{key}-*.jsa"):
        if file.stem == f"{key}-{file.lstat().st_size}" or file.is_symlink():
            return file
        file.unlink()
    return None


def _is_complete(written: Path) -> bool:
    """Whether a JVM has written all of an archive: the first bytes come last."""
    with suppress(FileNotFoundError), written.open("rb") as file:
        return any(file.read(4))
    return False


def _remove_unused(folder: Path) -> None:
    """Delete the archives of versions that are no longer used."""
    for file in folder.iterdir():
        with suppress(OSError):
            if file.lstat().st_mtime < time() - _UNUSED_SECONDS:
                file.unlink()
