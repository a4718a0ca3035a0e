"""A PostgreSQL server of the tests' own: on a free port, in a temporary folder, as a user that is not root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from uuid import uuid4

from ..waiting import came, free_port


class CannotStart(Exception):
    """The text is why."""


def program(name: str) -> str:
    """Debian has the server's programs outside of PATH."""
    found = shutil.which(name) or next((str(file) for file in Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), None)
    if found is None:
        raise CannotStart(f"there is no {name}")
    return found


def server_user() -> str | None:
    """The user that runs the server: another one than root, which it refuses; None: the one that runs the tests."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise CannotStart("root has no other user to run it as")


class Server:
    """`start` and `kill` as often as needed; `close` at last."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="proxai-ir-postgres-"))
        self._user = server_user()
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._refusal = ""
        made = subprocess.run(
            [program("initdb"), "-D", str(self.folder / "data"), "-U", "tests", "-A", "trust", "-E", "UTF8", "-N"],
            user=self._user,
            cwd=self.folder,
            capture_output=True,
            timeout=120,
            check=False,
        )
        if made.returncode:
            raise CannotStart(made.stderr.decode(errors="replace")[-300:])

    def start(self) -> None:
        settings = [
            "-c",
            "fsync=off",
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            f"unix_socket_directories={self.folder}",
        ]
        self._process = subprocess.Popen(
            [program("postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), *settings],
            user=self._user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        process = self._process
        if not came(self._answers, 30, over=lambda: process.poll() is not None):
            raise CannotStart(self._refusal)

    def _answers(self) -> bool:
        import psycopg

        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError as error:
            self._refusal = str(error)
            return False
        return True

    def kill(self) -> None:
        """End it at once, with all its connections, as a crash would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(30)
            self._process = None

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str) -> str:
        return f"postgresql://tests@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of an empty one."""
        import psycopg

        name = f"tests_{uuid4().hex}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)
