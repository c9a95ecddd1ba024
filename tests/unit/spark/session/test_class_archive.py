"""What a start does about the archive of classes; the JVM is played by the test."""

import os
import pwd
from pathlib import Path

import pytest

from forklake.errors import InvalidOption
from forklake.spark.session.class_archive import ClassArchive, class_archive

LOCAL = {"spark.master": "local[*]"}
RECORD, USE = "-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile="


class Machine:
    """A folder with a JVM, Spark and a cache."""

    def __init__(self, folder: Path) -> None:
        java = ("java/bin/java", "java/lib/modules", "java/release", "java/lib/server/classes.jsa")
        for name in (*java, "spark/jars/core.jar"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name, encoding="ascii")
        self.folder = folder
        self.archives = folder / "cache" / "forklake" / "classes"
        self.environment = {
            "JAVA_HOME": str(folder / "java"),
            "SPARK_HOME": str(folder / "spark"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def start(self, settings: dict[str, str] = LOCAL, **environment: str) -> ClassArchive:
        """One start, of a JVM that writes the archive if it is to."""
        with class_archive(settings, self.environment | environment) as archive:
            if archive.lock is not None:
                self.file_of(archive).write_bytes(b"all of it")
                self.file_of(archive).chmod(0o444)
            return archive

    @staticmethod
    def file_of(archive: ClassArchive) -> Path:
        return Path(archive.options[0].partition("=")[2])


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_first_start_writes_what_the_next_ones_use(machine: Machine) -> None:
    first, second, third = machine.start(), machine.start(), machine.start()
    assert first.options[0].startswith(RECORD)
    assert first.used is None
    assert second == third
    assert second.options[0] == f"{USE}{second.used}"
    assert second.used is not None
    assert second.used.read_bytes() == b"all of it"
    assert machine.archives.stat().st_mode & 0o777 == 0o700
    assert {file.suffix for file in machine.archives.iterdir()} == {".jsa", ".lock"}


def test_only_one_start_writes(machine: Machine) -> None:
    with class_archive(LOCAL, machine.environment) as first:
        assert first.lock is not None
        heir = os.dup(first.lock)
        machine.file_of(first).write_bytes(b"half")
    # The process has closed its lock, and the JVM that inherited it goes on.
    assert machine.start().options == ()
    os.close(heir)
    assert machine.start().used is not None


def test_half_of_an_archive_is_written_anew(machine: Machine) -> None:
    with class_archive(LOCAL, machine.environment) as first:
        machine.file_of(first).write_bytes(bytes(1000))
    assert machine.start().lock is not None
    assert machine.start().used is not None


def test_a_truncated_archive_is_written_anew(machine: Machine) -> None:
    machine.start()
    used = machine.start().used
    assert used is not None
    os.truncate(used, 3)
    assert machine.start().lock is not None
    assert machine.start().used == used


def test_another_jvm_or_spark_has_another_archive(machine: Machine) -> None:
    machine.start()
    used = machine.start().used
    for changed in ("java/release", "spark/jars/core.jar", "spark/jars/more.jar"):
        (machine.folder / changed).write_text(f"another {changed}", encoding="ascii")
        assert machine.start().lock is not None, changed
        assert machine.start().used not in (None, used), changed
    assert machine.start({**LOCAL, "spark.driver.extraClassPath": "x.jar"}).lock is not None


def test_an_archive_with_which_nothing_starts_is_forgotten(machine: Machine) -> None:
    machine.start()
    machine.start().discard()
    assert machine.start().lock is not None


def test_archives_that_nobody_uses_any_more_are_deleted(machine: Machine) -> None:
    machine.archives.mkdir(mode=0o700, parents=True)
    old, new = machine.archives / "old.jsa", machine.archives / "new.jsa"
    for file in (old, new):
        file.touch()
    os.utime(old, (0, 0))
    machine.start()
    assert (old.exists(), new.exists()) == (False, True)


def test_the_lock_of_the_jvm_that_writes_is_not_deleted_as_unused(machine: Machine) -> None:
    machine.start()
    [lock] = machine.archives.glob("*.lock")
    os.utime(lock, (0, 0))
    with class_archive(LOCAL, machine.environment) as again:
        again.discard()
    os.utime(lock, (0, 0))
    with class_archive(LOCAL, machine.environment) as writing:
        assert writing.lock is not None
        assert lock.exists()


@pytest.mark.parametrize("name", ["cache/forklake", "cache/forklake/classes"])
def test_a_folder_that_others_can_write_is_not_used(machine: Machine, name: str) -> None:
    machine.start()
    (machine.folder / name).chmod(0o770)
    assert machine.start().options == ()


def test_new_folders_are_for_the_user_alone_whatever_the_umask(machine: Machine) -> None:
    before = os.umask(0o002)
    try:
        machine.start()
    finally:
        os.umask(before)
    assert machine.start().used is not None
    assert machine.archives.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("name", ["a b", "a'b", 'a"b', "a\\b"])
def test_a_folder_whose_name_spark_would_split_is_not_used(machine: Machine, name: str) -> None:
    assert machine.start(XDG_CACHE_HOME=str(machine.folder / name)).options == ()


def test_a_relative_folder_of_caches_is_ignored(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(machine.folder / "home"))
    monkeypatch.chdir(machine.folder)
    assert machine.start(XDG_CACHE_HOME="relative").lock is not None
    assert (machine.folder / "home" / ".cache" / "forklake" / "classes").is_dir()
    assert not (machine.folder / "relative").exists()


def test_an_archive_that_others_can_write_is_not_used(machine: Machine) -> None:
    machine.start()
    used = machine.start().used
    assert used is not None
    used.chmod(0o666)
    assert machine.start().options == ()


def test_an_archive_behind_a_link_is_not_used(machine: Machine) -> None:
    machine.start()
    used = machine.start().used
    assert used is not None
    used.rename(machine.folder / "elsewhere")
    used.symlink_to(machine.folder / "elsewhere")
    assert machine.start().options == ()


def test_without_a_place_for_it_there_is_none(machine: Machine) -> None:
    (machine.folder / "cache").write_text("a file", encoding="ascii")
    assert machine.start().options == ()


@pytest.mark.parametrize(
    "settings",
    [
        {"spark.master": "yarn"},
        {},
        {**LOCAL, "spark.driver.extraJavaOptions": "-XX:SharedArchiveFile=mine.jsa"},
        {**LOCAL, "spark.driver.defaultJavaOptions": "-Xshare:off"},
        {**LOCAL, "spark.driver.extraJavaOptions": "-agentpath:profiler.so"},
    ],
)
def test_some_sessions_have_none(machine: Machine, settings: dict[str, str]) -> None:
    assert machine.start(settings).options == ()


def test_without_java_or_with_a_folder_of_settings_there_is_none(machine: Machine) -> None:
    assert machine.start(JAVA_HOME=str(machine.folder)).options == ()
    # The JVM writes no archive if a folder with files is on its class path.
    assert machine.start(SPARK_CONF_DIR=str(machine.folder / "spark")).options == ()
    (machine.folder / "spark" / "conf").mkdir()
    assert machine.start().lock is not None
    (machine.folder / "spark" / "conf" / "spark-defaults.conf").touch()
    assert machine.start().options == ()


@pytest.mark.parametrize("name", ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS"])
def test_with_an_agent_in_the_environment_there_is_none(machine: Machine, name: str) -> None:
    for agent in ("-javaagent:observer.jar", "-agentlib:jdwp=transport=dt_socket,server=y", "-agentpath:profiler.so"):
        assert machine.start(LOCAL, **{name: f"-Dx=y {agent}"}).options == ()
    assert machine.start(LOCAL, **{name: "-Dx=y"}).options != ()


def test_a_jvm_without_an_archive_of_its_own_classes_has_none(machine: Machine) -> None:
    (machine.folder / "java" / "lib" / "server" / "classes.jsa").unlink()
    assert machine.start().options == ()


def test_without_a_home_folder_there_is_none(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(number: int) -> None:
        raise KeyError(number)

    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert machine.start(XDG_CACHE_HOME="").options == ()


def test_it_can_be_turned_off(machine: Machine) -> None:
    assert machine.start(FORKLAKE_CLASS_ARCHIVE="off").options == ()
    assert not machine.archives.exists()
    with pytest.raises(InvalidOption, match="is auto or off, not 'never'"):
        machine.start(FORKLAKE_CLASS_ARCHIVE="never")
