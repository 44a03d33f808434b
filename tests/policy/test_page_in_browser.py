"""The page in headless Chromium: silent, self-contained, and it answers to mouse, keys and pickers."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_frames import made, nothing

from measure.cli import run
from measure.html.page import render
from measure.plots.marks import Mark
from measure.reports.model import Report, Source, Table, shows
from measure.sample import transcripts
from policy.page import page
from policy.prices import load

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Presses every header once and names the columns of numbers that are not in falling order then.
SORT_ALL = """() => {
  const wrong = [], buttons = [...document.querySelectorAll("th button")];
  for (const button of buttons) {
    button.click();
    const head = button.parentElement, table = head.closest("table"), column = head.cellIndex;
    if (head.getAttribute("aria-sort") !== "descending") continue;
    const values = [...table.tBodies[0].rows].map((row) => row.cells[column].dataset.v).filter(Boolean).map(Number);
    if (values.some((value, i) => i && value > values[i - 1])) wrong.push(button.textContent);
  }
  return { wrong, unnamed: buttons.filter((button) => !button.textContent.trim()).length };
}"""
MARKS = [Mark(100_000, "context bound"), Mark(104_000, "price x5 above", 3)]


def write(frames: dict[str, Any], target: Path) -> Path:
    held = SimpleNamespace(**frames)
    columns = shows("session_id", "agent_type", "requests", "peak_context_tokens", "started")
    report = Report("agents", "Agents", held.agents, [Table("All threads", held.agents, columns, {"requests": 1})])
    now = datetime(2026, 11, 30, 12, tzinfo=UTC)
    records = dict.fromkeys(("read", "used", "bookkeeping", "unknown", "damaged"), 1)
    source = Source(1, (), records, {})
    shown = page(held, [report], source, load(), lambda *_: MARKS, zone="Asia/Kolkata", now=now)
    target.write_text(render(shown), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    missing = not CHROMIUM or importlib.util.find_spec("playwright") is None
    if missing and not os.environ.get("CI"):
        pytest.skip("needs chromium and `uv run --group browser`")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


@pytest.fixture(scope="module")
def two_sessions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(made(2, 40, 60), tmp_path_factory.mktemp("page") / "report.html")


class Opened:
    """A page with everything it said and asked for."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, theme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).text_content())

    def hover(self, selector: str, x: float, y: float) -> None:
        self.page.locator(selector).scroll_into_view_if_needed()
        box = self.page.locator(f"{selector} .u-over").bounding_box()
        self.page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        self.page.evaluate("new Promise(requestAnimationFrame)")

    def column(self, number: int) -> list[str]:
        return self.page.locator(f"#report-agents tbody td:nth-child({number})").all_text_contents()

    def values(self, number: int) -> list[float]:
        cells = self.page.locator(f"#report-agents tbody td:nth-child({number})")
        return cells.evaluate_all("cells => cells.map(cell => Number(cell.dataset.v))")

    def close(self) -> None:
        self.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_opens_silently_and_asks_for_nothing(browser: Any, two_sessions: Path, width: int, theme: str) -> None:
    opened = Opened(browser, two_sessions, width, theme)
    opened.hover("#chart", 0.5, 0.5)
    opened.page.select_option("#thread", "all")
    opened.hover("#days", 0.5, 0.5)
    assert opened.said == []
    assert opened.asked == [two_sessions.as_uri()]
    assert opened.page.evaluate("document.documentElement.scrollWidth") == width
    background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (theme == "light")
    opened.close()


def test_hovering_tells_the_values_of_a_request(browser: Any, two_sessions: Path) -> None:
    opened = Opened(browser, two_sessions)
    before = opened.text("#readout")
    opened.hover("#chart", 0.5, 0.5)
    after = opened.text("#readout")
    assert before.startswith("main · peak context")
    for word in ("main · request ", "context ", "cache read ", "cache write ", "output ", "$", "claude-"):
        assert word in after
    opened.page.select_option("#thread", "all")
    opened.hover("#chart", 0.3, 0.4)
    assert "request " in opened.text("#readout")
    opened.close()


def test_arrow_keys_walk_along_the_requests(browser: Any, two_sessions: Path) -> None:
    opened = Opened(browser, two_sessions)
    opened.page.locator("#chart").focus()
    seen = []
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft", "Home"):
        opened.page.keyboard.press(key)
        opened.page.evaluate("new Promise(requestAnimationFrame)")
        seen.append(opened.text("#readout").split(" · ")[1])
    assert seen == ["request 1", "request 2", "request 60", "request 59", "request 1"]
    opened.close()


def test_the_session_picker_changes_threads_and_curve(browser: Any, two_sessions: Path) -> None:
    opened = Opened(browser, two_sessions)
    assert opened.page.locator("#session option").count() == 2
    newest = opened.text("#readout")
    threads = opened.page.locator("#thread option").all_text_contents()
    opened.page.select_option("#session", "1")
    assert opened.text("#readout") != newest
    assert opened.page.locator("#thread option").all_text_contents() != threads
    opened.page.select_option("#thread", "3")
    assert not opened.text("#readout").startswith("main")
    opened.close()


def test_tables_sort_by_value_and_back(browser: Any, two_sessions: Path) -> None:
    opened = Opened(browser, two_sessions)
    header = opened.page.locator("#report-agents th").nth(3)
    assert len(opened.column(4)) == 82  # two main threads and their 80 agents
    header.get_by_role("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    down = opened.values(4)
    assert down == sorted(down, reverse=True)
    assert len(set(down)) > 10
    header.get_by_role("button").click()
    up = opened.values(4)
    assert up == sorted(up)
    opened.close()


def test_unknown_values_sort_last_both_ways(browser: Any, two_sessions: Path) -> None:
    opened = Opened(browser, two_sessions)
    button = opened.page.locator("#report-agents th").nth(1).get_by_role("button")
    for _ in range(2):
        button.click()
        kinds = opened.column(2)
        assert "-" in kinds
        assert set(kinds[kinds.index("-") :]) == {"-"}
    opened.close()


def test_a_curve_of_thousands_of_requests_is_drawn_on_a_phone(browser: Any, tmp_path: Path) -> None:
    opened = Opened(browser, write(made(1, 0, 3000), tmp_path / "long.html"), 390)
    dark = """() => {
      const canvas = document.querySelector("#chart canvas"), { width, height } = canvas, columns = new Set();
      const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
      const curve = (i) => pixels[i] < 40 && pixels[i + 2] > 60 && pixels[i + 2] < 120 && pixels[i + 3] > 200;
      for (let i = 0; i < pixels.length; i += 4) if (curve(i)) columns.add((i / 4) % width);
      return columns.size;
    }"""
    assert opened.page.evaluate(dark) > 200
    opened.close()


def test_the_theme_button_overrules_the_system(browser: Any, two_sessions: Path) -> None:
    opened = Opened(browser, two_sessions, theme="dark")
    look = "getComputedStyle(document.body).backgroundColor"
    dark = opened.page.evaluate(look)
    opened.page.click("#theme")
    assert opened.page.evaluate(look) == "rgb(255, 255, 255)"
    opened.page.click("#theme")
    assert opened.page.evaluate(look) == dark
    opened.close()


@pytest.mark.parametrize("frames", [nothing(), made(1, 0, 1)], ids=["nothing", "one request"])
def test_hardly_any_data_is_no_fault(browser: Any, tmp_path: Path, frames: dict[str, Any]) -> None:
    opened = Opened(browser, write(frames, tmp_path / "few.html"), 390)
    assert opened.said == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") == 390
    opened.close()


def test_times_are_those_of_the_zone_asked_for(browser: Any, two_sessions: Path) -> None:
    opened = Opened(browser, two_sessions)
    opened.page.select_option("#session", "1")
    assert opened.page.locator("#session option").nth(1).text_content().startswith("2026-11-02 13:30")
    opened.close()


def test_every_table_of_the_sample_page_sorts(browser: Any, tmp_path: Path) -> None:
    target = tmp_path / "sample.html"
    assert run(["html", "-o", str(target), str(transcripts())]) == 0
    opened = Opened(browser, target)
    buttons = opened.page.locator("th button")
    assert buttons.count() > 100
    shown = opened.page.evaluate(SORT_ALL)
    assert shown["unnamed"] == 0
    assert shown["wrong"] == []
    assert opened.said == []
    assert opened.asked == [target.as_uri()]
    opened.close()
