"""From raw tables to all frames."""

from __future__ import annotations

from measure.frames import Frames
from measure.frames import agents as _agents
from measure.frames import compactions as _compactions
from measure.frames import events as _events
from measure.frames import files as _files
from measure.frames import labels as _labels
from measure.frames import reads as _reads
from measure.frames import requests as _requests
from measure.frames import returns as _returns
from measure.frames import sessions as _sessions
from measure.frames import tool_calls as _tool_calls
from measure.frames.launches import launches
from measure.frames.ownership import prepare
from measure.horizon import horizon
from measure.transcripts.build import RawFrames
from measure.transcripts.find import Listing


def resolve(raw: RawFrames, found: Listing) -> Frames:
    """Frames from raw tables: pure but for the repository roots, which are looked up on disk. `raw` is used up."""
    raw = prepare(raw)
    out = Frames(files=_files.files(raw), roots=found.roots)
    out.bad_roots = [{"path": path, "reason": why} for path, why in found.bad_roots]
    placed = _requests.placed(raw)
    raw["usage"] = raw["usage"].drop(_requests.TOLD)  # of all later frames none looks at them
    launched = launches(raw)
    out.requests = _requests.framed(_labels.typed(placed, launched))
    out.compactions = _compactions.compactions(raw, placed, launched)
    out.returns = _returns.returns(raw, placed, launched)
    out.agents = _agents.agents(raw, placed, launched, out.compactions, out.returns)
    out.sessions = _sessions.sessions(raw, out.requests, out.agents, out.compactions)
    answered = _tool_calls.answered(raw, placed)
    out.tool_calls = _tool_calls.framed(answered, raw, launched)
    out.reads = _reads.reads(raw, answered, launched)
    out.events = _events.events(raw, answered, launched)
    oldest = raw["spans"]["first_ts"].min() if raw["spans"].height else None
    out.horizon = horizon(found.roots, oldest)  # type: ignore[arg-type]
    return out
