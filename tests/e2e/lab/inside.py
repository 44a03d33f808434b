"""Runs inside the network namespace: loopback up, the scripted API, then the client once per step.

`python inside.py SPEC.json`; the spec is written by `workspace.py`.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from api import serve

SET_FLAGS, UP_AND_RUNNING = 0x8914, 0x41
DUMMY_KEY = "sk-dummy"  # the scripted API asks for none; the client wants one to start


def loopback_up() -> None:
    """What `ip link set lo up` does, without iproute2."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        fcntl.ioctl(sock, SET_FLAGS, struct.pack("16sh", b"lo", UP_AND_RUNNING) + bytes(14))


def environment(home: str, port: int, extra: dict[str, str]) -> dict[str, str]:
    """Nothing of the caller's environment: an empty home, a dummy key, one address."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": home,
        "CLAUDE_CONFIG_DIR": f"{home}/.claude",
        "CLAUDE_CODE_TMPDIR": f"{home}/tmp",
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": DUMMY_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "IS_SANDBOX": "1",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        **extra,
    }


def step(spec: dict[str, Any], item: dict[str, Any], session: str | None, env: dict[str, str], out: Path) -> str | None:
    """One run of the client; returns the session's id."""
    args = [spec["client"], "-p", "--output-format", "stream-json", "--verbose", *item["args"]]
    if item.get("resume") and session:
        args += ["--resume", session]
    lines = item.get("lines")
    args += ["--input-format", "stream-json"] if lines else ["--", item["prompt"]]
    with out.open("w") as stdout, out.with_suffix(".err").open("w") as stderr:
        proc = subprocess.Popen(
            args, cwd=spec["work"], env=env, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr, text=True
        )
        assert proc.stdin
        for line in lines or []:
            if isinstance(line, (int, float)):
                time.sleep(line)
            else:
                message = {"type": "user", "message": {"role": "user", "content": line}}
                proc.stdin.write(json.dumps(message) + "\n")
                proc.stdin.flush()
        proc.stdin.close()
        try:
            proc.wait(item["timeout"])
        except subprocess.TimeoutExpired:
            proc.send_signal(signal.SIGKILL)
            proc.wait()
            stderr.write("killed: it took too long\n")
    for line in out.read_text(encoding="utf-8").splitlines():
        if line.startswith("{"):
            session = json.loads(line).get("session_id") or session
    return session


def screen(spec: dict[str, Any], item: dict[str, Any], env: dict[str, str], out: Path) -> None:
    """The interactive client in a terminal of its own: keys in (seconds to wait, text), its screen into `out`."""
    known = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    seed = {"hasCompletedOnboarding": True, "theme": "dark", "projects": {spec["work"]: known}}
    seed["customApiKeyResponses"] = {"approved": [DUMMY_KEY], "rejected": []}
    Path(env["CLAUDE_CONFIG_DIR"], ".claude.json").write_text(json.dumps(seed), encoding="utf-8")
    terminal = env | {"TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
    pid, handle = pty.fork()
    if pid == 0:
        os.chdir(spec["work"])
        os.execve(spec["client"], [spec["client"], *item["args"]], terminal)
    with out.open("wb") as shown:
        for seconds, text in item["keys"]:
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                if select.select([handle], [], [], 0.1)[0]:
                    try:
                        shown.write(os.read(handle, 65_536))
                    except OSError:
                        break
            for char in text:
                os.write(handle, char.encode())
                time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def main() -> None:
    spec = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    out = Path(spec["out"])
    loopback_up()
    server = serve(spec["threads"], out / "requests.jsonl")
    env = environment(spec["home"], server.server_port, spec["env"])
    session = spec.get("session")
    for number, item in enumerate(spec["steps"], 1):
        if item.get("keys"):
            screen(spec, item, env, out / f"step{number}.out")
            continue
        session = step(spec, item, session, env, out / f"step{number}.out")
    server.shutdown()
    (out / "session").write_text(session or "")
    os._exit(0)  # handler threads of a client that was killed may still wait


if __name__ == "__main__":
    main()
