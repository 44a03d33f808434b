"""Helper of test_crash.py, a process of its own: kills installs at every step, and lets two of them race.

    crash_steps.py kill FOLDER STRIDE     kill -9 before every STRIDEth file operation of an install and an uninstall
    crash_steps.py race FOLDER ROUNDS     two installers of ours and a foreign one at once

Prints one JSON object. Forked children share the imports; a kill costs milliseconds so.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hooks import files
from hooks.features import FEATURES, entries
from hooks.install import carry_out
from hooks.plan import Request, plan
from hooks.scopes import Scope
from hooks.settings import ours

STEPS = (
    "open",
    "os.rename",
    "os.remove",
    "os.mkdir",
    "os.rmdir",
    "os.chmod",
    "os.chown",
    "shutil.rmtree",
    "subprocess.Popen",
)
USUAL = '{\n  "model": "opus",\n  "env": {"A": "1"}\n}\n'
FOREIGN_TURNS = 12


def forked(act: Callable[[], object]) -> int:
    """A child that does one thing; its pid."""
    pid = os.fork()
    if pid == 0:
        try:
            act()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return pid


def killed_at(step: int, root: str, act: Callable[[], object]) -> bool:
    """Run `act` in a child that is killed before its `step`th operation on a file under root; whether it was."""

    def child() -> None:
        left = step

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if event in STEPS and (
                event == "subprocess.Popen" or str(arguments[0] if arguments else "").startswith(root)
            ):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        act()

    _, status = os.waitpid(forked(child), 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0
    return False


def project_in(folder: Path, name: str) -> Scope:
    root = folder / name
    shutil.rmtree(root, ignore_errors=True)
    (root / ".claude").mkdir(parents=True)
    (root / ".claude" / "settings.json").write_text(USUAL)
    return Scope("project", root / ".claude", root)


def do(scope: Scope, mode: str, *features: str, **given: int) -> None:
    carry_out(plan(scope, Request(mode, features, {"returns": given} if given else {})))


def kill(folder: Path, stride: int) -> dict[str, object]:
    names = tuple(feature.name for feature in FEATURES)
    whole = project_in(folder, "whole")
    do(whole, "install", *names)
    new = whole.settings().read_text().replace(str(whole.folder), "@")
    seen = {"steps": 0, "old": 0, "new": 0}
    files.LOCK_STALE_SECONDS = -1  # type: ignore[misc] # a killed holder leaves its lock: stale at once here
    for mode in ("install", "uninstall"):
        step = 0
        while True:
            scope = project_in(folder, "killed")
            if mode == "uninstall":
                do(scope, "install", *names)
            died = killed_at(step, str(scope.folder), lambda scope=scope, mode=mode: do(scope, mode, *names))
            text = scope.settings().read_text()
            state = "old" if text == USUAL else "new" if text.replace(str(scope.folder), "@") == new else "broken"
            assert state != "broken", (mode, step, text)
            if scope.config.exists():
                json.loads(scope.config.read_text())
            seen[state] += 1
            seen["steps"] += 1
            # the next run mends whatever was left
            do(scope, "install", *names)
            assert scope.settings().read_text().replace(str(scope.folder), "@") == new, (mode, step)
            do(scope, "uninstall", *names)
            assert scope.settings().read_text() == USUAL, (mode, step)
            if not died:
                break
            step += stride
    return seen


def foreign(scope: Scope) -> None:
    """Another tool that takes the lock, reads, waits, appends its own hook and writes."""
    for turn in range(FOREIGN_TURNS):
        with files.lock(scope.settings()):
            settings = json.loads(scope.settings().read_text())
            groups = settings.setdefault("hooks", {}).setdefault("SubagentStop", [])
            groups.append({"hooks": [{"type": "command", "command": f"foreign {turn}"}]})
            time.sleep(0.002)
            files.replace(scope.settings(), json.dumps(settings, indent=2).encode())


def race(folder: Path, rounds: int) -> dict[str, object]:
    files.LOCK_WAIT = 0.003  # type: ignore[misc]
    files.LOCK_TRIES = 5000  # type: ignore[misc]
    wanted = len(entries([feature for feature in FEATURES if feature.name in ("returns", "reads")]))
    for turn in range(rounds):
        scope = project_in(folder, "race")
        children = [
            forked(lambda scope=scope: do(scope, "install", "returns", passTokens=900, fileTokens=2000)),
            forked(lambda scope=scope: do(scope, "install", "reads")),
            forked(lambda scope=scope: foreign(scope)),
        ]
        for pid in children:
            assert os.waitpid(pid, 0)[1] == 0, turn
        settings = json.loads(scope.settings().read_text())
        assert len(ours(settings)) == wanted, (turn, len(ours(settings)))
        commands = [hook.get("command") for group in settings["hooks"]["SubagentStop"] for hook in group["hooks"]]
        assert [f"foreign {one}" in commands for one in range(FOREIGN_TURNS)] == [True] * FOREIGN_TURNS, turn
        config = json.loads(scope.config.read_text())
        assert config["returns"]["passTokens"] == 900, turn
        assert config["reads"]["enabled"] is True, turn
        assert sorted(scope.record()["features"]) == ["reads", "returns"], turn
    return {"rounds": rounds, "lost": 0}


if __name__ == "__main__":
    what, place, number = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    print(json.dumps(kill(place, number) if what == "kill" else race(place, number)))
