"""The image of `.assets/deploy/Containerfile`, built by its own steps in roots of this machine, as there is no daemon.

A root has this machine's `/usr` in place of the image's base, with the Python of the tests where the base has its own.
Needs root, who may mount, and a registry of packages; where one of them is missing, these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("sqlalchemy", reason='the gateway needs the extra "serve"')

import httpx

from ..clients.provider import ANTHROPIC, CHAT, TEXT
from ..waiting import until
from .nginx import free_ports
from .several import DEPLOY
from .support import asked, path_of
from .upstreams import KEY, Upstream, running
from .visiting import CLIENT_KEY, TOKEN

pytestmark = pytest.mark.slow
ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin", "LD_LIBRARY_PATH": "/usr/local/lib", "HOME": "/root"}
OWN = {"tmp", "opt", "src", "usr"}
"""Folders at the top that the root of a build has for itself."""
SECRETS = {"ANTHROPIC_API_KEY": KEY, "PROXAI_IR_TOKEN": TOKEN}


class Step(NamedTuple):
    word: str
    text: str


def stages() -> list[list[Step]]:
    """The steps of each stage, as the file has them."""
    lines = re.sub(r"\\\n", " ", (DEPLOY / "Containerfile").read_text(encoding="utf-8")).splitlines()
    steps = [Step(*line.split(" ", 1)) for line in lines if line and not line.startswith("#")]
    begins = [at for at, step in enumerate(steps) if step.word == "FROM"]
    return [steps[begin:end] for begin, end in zip(begins, [*begins[1:], None], strict=True)]


def within(
    root: Path, given: Mapping[str, Path], command: str, *, user: str = "0", writable: Sequence[str] | None = None
) -> list[str]:
    """A command in a root of its own, in which `given` is at its places and read-only.

    writable  what can be written to, if the root cannot
    """
    where = shlex.quote(str(root))
    script = ["set -e", f"mount --bind {where} {where}"]
    for place, source in given.items():
        target = f"{where}{place}"
        script += [f"mount --rbind {shlex.quote(str(source))} {target}", f"mount -o remount,bind,ro {target}"]
    if writable is not None:
        script += [f"mount --bind {where}{one} {where}{one}" for one in writable]
        script += [f"mount -o remount,bind,ro {where}"]
    known = " ".join(f"{name}={shlex.quote(value)}" for name, value in {**ENVIRONMENT, **SECRETS}.items())
    who = f"--userspec={user}:{user} --groups={user}" if user != "0" else ""
    script += [f"exec chroot {who} {where} env -i {known} {command}"]
    return ["unshare", "--mount", "sh", "-c", "\n".join(script)]


class Image:
    """The root of the last stage, and what its steps state."""

    def __init__(self, folder: Path, context: Path) -> None:
        self.root = folder / "image"
        self.stated: dict[str, str] = {}
        self._stages: dict[str, Path] = {}
        self._context = context
        build, last = stages()
        here = {f"/{one.name}": one for one in Path("/").iterdir() if one.is_dir() and one.name not in OWN}
        self._make(build, folder / "build", {**here, **self.base()})
        self._make(last, self.root, self.base())

    @staticmethod
    def base() -> dict[str, Path]:
        return {"/usr": Path("/usr"), "/usr/local": Path(sys.base_prefix), "/dev": Path("/dev"), "/proc": Path("/proc")}

    def _make(self, steps: Sequence[Step], root: Path, given: Mapping[str, Path]) -> None:
        root.mkdir()
        for place in (*given, "/tmp", "/var/lib"):
            if not place.startswith("/usr/"):
                (root / place[1:]).mkdir(parents=True, exist_ok=True)
        for link in (one for one in Path("/").iterdir() if one.is_symlink()):
            if not (root / link.name).exists() and not (root / link.name).is_symlink():
                (root / link.name).symlink_to(link.readlink())
        if "/etc" not in given:
            shutil.copytree("/etc", root / "etc", symlinks=True, ignore_dangling_symlinks=True)
        folder = "/"
        for word, text in steps:
            if word == "FROM":
                self._stages[text.rpartition(" AS ")[2]] = root
            elif word == "WORKDIR":
                folder = text
                (root / folder[1:]).mkdir(parents=True, exist_ok=True)
            elif word == "COPY":
                self._copy(text.split(), root / folder[1:])
            elif word == "RUN":
                done = subprocess.run(
                    within(root, given, f"sh -c {shlex.quote(f'cd {folder} && {text}')}"),
                    capture_output=True,
                    text=True,
                    timeout=900,
                    check=False,
                )
                if done.returncode and "Retrying (" in done.stdout + done.stderr:
                    pytest.skip("no registry of packages can be reached")
                assert done.returncode == 0, done.stderr[-3000:]
            else:
                self.stated[word] = text

    def _copy(self, words: Sequence[str], folder: Path) -> None:
        source = self._context
        if words[0].startswith("--from="):
            source, words = self._stages[words[0].removeprefix("--from=")], words[1:]
        *names, to = words
        for name in names:
            found = source / name.lstrip("/")
            target = (self.root if to.startswith("/") else folder) / to.lstrip("/")
            if found.is_dir():
                shutil.copytree(found, target, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy2(found, target)

    def command(self, word: str, port: int) -> str:
        """A stated command, at another port."""
        return shlex.join(json.loads(self.stated[word][self.stated[word].index("[") :].replace("4000", str(port))))

    def run(self, command: str) -> list[str]:
        """As a daemon would: as the stated user, who can write to the volume alone."""
        user, volume = self.stated["USER"], self.stated["VOLUME"]
        return within(self.root, self.base(), command, user=user, writable=[volume])


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Iterator[Image]:
    may_mount = ["unshare", "--mount", "true"]
    if os.name != "posix" or os.geteuid() != 0 or subprocess.run(may_mount, check=False).returncode:
        pytest.skip("only root makes roots, where it may mount")
    folder = tmp_path_factory.mktemp("image")
    folder.parent.chmod(0o755)
    yield Image(folder, root)
    shutil.rmtree(folder, ignore_errors=True)


def test_it_serves_as_nobody_from_files_that_cannot_be_written(image: Image) -> None:
    (port,) = free_ports(1)
    place = image.root / "etc/proxai-ir"
    place.mkdir()
    (place / "keys").write_text(f"{CLIENT_KEY}\n")
    example = (DEPLOY / "gateway.toml").read_text(encoding="utf-8")
    with running(Upstream(ANTHROPIC)) as upstream:
        (place / "gateway.toml").write_text(example.replace("https://api.anthropic.com", upstream))
        started = image.run(f"{image.command('ENTRYPOINT', port)} {image.command('CMD', port)}")
        health = image.run(image.command("HEALTHCHECK", port))
        assert subprocess.run(health, capture_output=True, check=False).returncode != 0
        process = subprocess.Popen(started, stderr=subprocess.PIPE, text=True)
        try:
            until(lambda: is_up(port), 60, over=lambda: process.poll() is not None)
            assert subprocess.run(health, check=False).returncode == 0
            found = httpx.post(
                f"http://127.0.0.1:{port}{path_of(CHAT)}",
                json=asked(CHAT),
                headers={"authorization": f"Bearer {CLIENT_KEY}"},
            )
            assert TEXT in found.text
        finally:
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=30)
    assert process.returncode in (0, -signal.SIGTERM), said
    assert "Traceback" not in said
    kept = image.root / "var/lib/proxai-ir/exchanges.db"
    assert (kept.stat().st_uid, kept.stat().st_mode & 0o777) == (10001, 0o600)
    written = image.run("sh -c 'id -u; touch /var/lib/proxai-ir/a && touch /opt/proxai-ir/a || touch /tmp/a'")
    done = subprocess.run(written, capture_output=True, text=True, check=False)
    assert done.stdout == "10001\n"
    assert done.stderr.count("Read-only file system") == 2


def test_it_has_what_upstreams_need(image: Image) -> None:
    """Signatures of clouds, PostgreSQL, WebSockets and the fast loop."""
    wanted = "botocore.auth, google.auth.transport.requests, psycopg, websockets, uvloop, httptools"
    done = subprocess.run(
        image.run(f"/opt/proxai-ir/bin/python -c 'import {wanted}'"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health").status_code == 200
    except httpx.TransportError:
        return False
