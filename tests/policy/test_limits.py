import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from measure.errors import SetpointError
from policy import limits
from policy.fit.limit import Limit

PASS = Limit(
    "returns",
    "passTokens",
    "est. tokens",
    1000,
    1400,
    412,
    30,
    "returns",
    "p50",
    estimate=1404,
    low=1150,
    high=1830,
    bounded=True,
)
FILE = replace(PASS, key="fileTokens", in_force=2500, value=2400, estimate=2410, low=2100, high=None)
EXPLORE = replace(PASS, agent_type="Explore", value=600, in_force=1000, low=500, high=700)
HAIKU = Limit("context", "maxTokens", "tokens", 85_000, 84_000, 120, 12, "runs", "price step", model="claude-haiku-5-5")
MAIN = Limit("compaction", "forceAt", "tokens", 120_000, 90_000, 12, 9, "threads", "replay")
AT = "2026-11-30T12:00:00Z"


def test_limits_and_evidence_stand_side_by_side_and_the_rest_is_kept() -> None:
    before = {
        "zeta": [1, {"é": None}],
        "returns": {"enabled": False, "passTokens": 9, "exempt": ["x"]},
        "reads": {"mode": "note"},
    }
    after = limits.apply(before, [PASS, FILE, EXPLORE, HAIKU, MAIN], AT, "2026-11-01")
    assert list(after)[:3] == ["zeta", "returns", "reads"]
    assert after["zeta"] == before["zeta"]
    assert after["reads"] == before["reads"]
    section = after["returns"]
    assert (section["enabled"], section["exempt"]) == (False, ["x"])
    assert (section["passTokens"], section["fileTokens"]) == (1400, 2400)
    assert section["byAgentType"] == {"Explore": {"passTokens": 600}}
    assert section["evidence"]["passTokens"] == {
        "n": 412,
        "of": "returns",
        "sessions": 30,
        "estimate": 1404,
        "interval": [1150, 1830],
        "method": "p50",
        "date": AT,
        "horizon": "2026-11-01",
    }
    assert section["evidence"]["fileTokens"]["interval"] == [2100, None]
    assert section["evidence"]["byAgentType"]["Explore"]["passTokens"]["n"] == 412
    assert after["context"]["byModel"] == {"claude-haiku-5-5": 84_000}
    assert after["compaction"]["main"] == {"forceAt": 90_000}
    assert [(e["feature"], e["what"], e["at"]) for e in after["history"]] == [
        ("returns", "fit", AT),
        ("context", "fit", AT),
        ("compaction", "fit", AT),
    ]
    assert after["history"][0]["limits"] == {
        "passTokens": 1400,
        "fileTokens": 2400,
        "byAgentType.Explore.passTokens": 600,
    }
    assert before["returns"]["passTokens"] == 9


def test_a_fitted_type_is_what_the_hooks_then_use() -> None:
    after = limits.apply({}, [PASS, FILE, EXPLORE, HAIKU, replace(MAIN, agent_type="Explore")], AT, None)
    force = limits.InForce(after, {})
    assert force.returns("passTokens", "Explore") == 600
    assert force.returns("passTokens", "other") == 1400
    assert force.context("claude-haiku-5-5", None) == 84_000
    assert force.compaction("Explore", 200_000)["forceAt"] == 90_000
    assert force.compaction(None, 200_000)["forceAt"] == 120_000


def test_a_type_with_a_bare_number_is_widened_and_keeps_it() -> None:
    bound = replace(HAIKU, model=None, agent_type="Explore", value=70_000)
    after = limits.apply({"context": {"byAgentType": {"Explore": 60_000}}}, [bound], AT, None)
    assert after["context"]["byAgentType"] == {"Explore": {"maxTokens": 70_000}}


def test_nothing_fitted_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "place", lambda scope: tmp_path / "setpoint.json")
    assert limits.save("project", [replace(PASS, value=None)], AT, None) is None
    assert not list(tmp_path.iterdir())


def test_writing_keeps_mode_and_follows_links(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("{}")
    real.chmod(0o600)
    link = tmp_path / "link.json"
    link.symlink_to(real)
    limits.write(link, {"a": "é"})
    assert link.is_symlink()
    assert json.loads(real.read_text(encoding="utf-8")) == {"a": "é"}
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "real.json"]


@pytest.mark.parametrize("text", ["{", "[1]", '{"a": 1} // comment', "\udcff"])
def test_a_broken_file_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "setpoint.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SetpointError, match="nothing was written"):
        limits.read(path)
    assert path.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_a_crossed_pair_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "setpoint.json"
    path.write_text('{"returns": {"fileTokens": 1200}}')
    monkeypatch.setattr(limits, "place", lambda scope: path)
    with pytest.raises(SetpointError, match="below fileTokens"):
        limits.save("project", [PASS], AT, None)
    assert path.read_text() == '{"returns": {"fileTokens": 1200}}'


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SetpointError, match="cannot be written"):
        limits.write(tmp_path / "x.json", {})


def test_drift_judges_only_against_an_interval() -> None:
    found = {
        d.limit.name: d.outside
        for d in limits.drift([PASS, FILE, EXPLORE, MAIN, replace(PASS, in_force=1150, key="edge")])
    }
    assert found == {
        "returns.passTokens": True,
        "returns.fileTokens": False,
        "returns.byAgentType.Explore.passTokens": True,
        "returns.edge": False,
    }


def test_history_is_kept_short() -> None:
    long = {"history": [{"at": str(i)} for i in range(80)]}
    after = limits.apply(long, [PASS], AT, None)
    assert len(after["history"]) == limits.HISTORY
    assert after["history"][-1]["what"] == "fit"
