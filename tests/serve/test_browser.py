"""The page in a real browser: what it loads, how it is used by keyboard, contrast, and forms of other sites.

Needs the package playwright and a Chromium of the system; without them these tests are skipped.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

import pytest

pytest.importorskip("jinja2", reason="the extra `serve` is not installed")
pytest.importorskip("playwright", reason="the package playwright is not installed")

import uvicorn
from attrs import evolve
from starlette.applications import Starlette

from proxai_ir.serve.access import Access
from proxai_ir.serve.ui.routes import routes
from proxai_ir.storage import Storage

from ..waiting import free_port, until
from .recorded import ANTHROPIC, CHAT, NOW, RESPONSES, recorded
from .visiting import TOKEN

PAGES = (
    "/ui",
    "/ui/exchanges/a1",
    "/ui/exchanges/a2",
    "/ui/exchanges/a3",
    "/ui/convert",
    "/ui/sums",
    "/ui/sums?by=rule&span=1d",
    "/ui/rules/SMP-3",
    "/ui/none",
)
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")

CONTRASTS = """() => {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', {willReadFrequently: true});
  const channels = colour => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const linear = part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = element => {
    for (; element; element = element.parentElement) {
      const found = channels(getComputedStyle(element).backgroundColor);
      if (found[3] === 255) return found;
    }
    return [255, 255, 255, 255];
  };
  const weak = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; node = walker.nextNode();) {
    const element = node.parentElement, text = node.textContent.trim();
    if (!text) continue;
    const both = [luminance(channels(getComputedStyle(element).color)), luminance(behind(element))];
    const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
    if (ratio < 4.5) weak.push([element.className, text.slice(0, 40), ratio]);
  }
  return weak;
}"""
"""Texts with less contrast than WCAG's level AA asks for."""


class Served(NamedTuple):
    url: str
    port: int
    file: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    file = str(tmp_path_factory.mktemp("browser") / "kept.db")
    storage = Storage(file, clock=lambda: NOW)
    long: dict[str, Any] = {
        "messages": [{"role": "user", "content": "hi\n" * 2000}],
        "tools": [tool(at) for at in range(30)],
        "top_k": 7,
    }
    storage.record(recorded("a1", ANTHROPIC, CHAT, **long))
    storage.record(recorded("a2", RESPONSES, ANTHROPIC, "broken", streamed=True))
    storage.record(recorded("a3", CHAT, ANTHROPIC, n=2))
    port = free_port()
    made = Starlette(routes=routes(storage, Access((), TOKEN)))
    server = uvicorn.Server(uvicorn.Config(made, port=port, log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started, over=lambda: not thread.is_alive())
    storage._writer.close(20)
    yield Served(f"http://127.0.0.1:{port}", port, file)
    server.should_exit = True
    thread.join(20)
    storage.close()


def tool(at: int) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    return {"name": f"tool_{at}", "description": "Reads a file.", "input_schema": schema}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    found = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("there is no Chromium on this machine")
    with import_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])  # which root cannot have
        yield browser
        browser.close()


def signed_in(chromium: Any, served: Served, **settings: Any) -> Any:
    """A browser that has been at the URL that the start prints."""
    context = chromium.new_context(base_url=served.url, **settings)
    page = context.new_page()
    page.goto(f"/ui?token={TOKEN}")
    page.wait_for_url("**/ui")
    page.close()
    return context


@pytest.fixture
def page(chromium: Any, served: Served) -> Iterator[Any]:
    context = signed_in(chromium, served, viewport={"width": 1280, "height": 800})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_load_and_can_be_read(chromium: Any, served: Served, scheme: str) -> None:
    context = signed_in(chromium, served, color_scheme=scheme)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    backs = set()
    for path in PAGES:
        complaints.clear()
        page.goto(path)
        if path != "/ui/none":
            assert complaints == []
            assert page.evaluate(CONTRASTS) == []
            backs.add(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert backs == {"rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 28)"}
    context.close()


def test_a_narrow_window(chromium: Any, served: Served) -> None:
    context = signed_in(chromium, served, viewport={"width": 360, "height": 640})
    page = context.new_page()
    for path in PAGES[:-1]:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    context.close()


def test_from_a_finding_to_its_place_and_back(page: Any) -> None:
    page.goto("/ui")
    page.click("tbody a[href$='/exchanges/a1']")
    pane = page.locator(".panes").first
    assert pane.evaluate("pane => pane.scrollTop") == 0
    page.get_by_role("link", name="/top_k").click()
    mark = page.locator("mark:target")
    assert mark.inner_text().endswith('"top_k": 7')
    assert mark.evaluate("mark => mark.closest('pre').className") == "source"
    eventually(page, IN_VIEW)
    assert pane.evaluate("pane => pane.scrollTop") > 0
    assert mark.evaluate("mark => getComputedStyle(mark).outlineStyle") == "solid"
    mark.get_by_role("link").click()
    assert "SMP-3" in page.locator("li:target").inner_text()


def eventually(page: Any, true: str) -> None:
    """Playwright's own waiting needs `eval`, which the page's policy forbids."""
    until(lambda: page.evaluate(true), 10)


IN_VIEW = """() => {
  const mark = document.querySelector('mark:target').getBoundingClientRect();
  const pane = document.querySelector('mark:target').closest('.panes').getBoundingClientRect();
  return mark.top >= pane.top && mark.bottom <= pane.bottom && mark.top >= 0 && mark.bottom <= innerHeight;
}"""


def test_by_keyboard(page: Any) -> None:
    page.goto("/ui/exchanges/a1")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the content"
    assert skip.bounding_box()["x"] >= 0, "it is seen while it has the focus"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.locator(".panes").first.focus()
    page.keyboard.press("End")
    eventually(page, "() => document.querySelector('.panes').scrollTop > 0")


def test_the_form(page: Any) -> None:
    page.goto("/ui/convert")
    request = {"model": "m", "messages": [{"role": "user", "content": "<script>alert(1)</script>"}], "seed": 1}
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.get_by_label("Payload", exact=True).fill(json.dumps(request))
    page.get_by_label("Protocol of the payload").select_option(CHAT)
    page.get_by_label("Convert it to").select_option(ANTHROPIC)
    page.get_by_role("button", name="Convert").click()
    output = json.loads("\n".join(page.get_by_role("region", name="output").locator("pre.sent").all_inner_texts()))
    assert output["messages"] == request["messages"]
    assert page.locator("pre.source mark").inner_text() == '1 "seed": 1'
    assert dialogs == []


def test_filters(page: Any) -> None:
    page.goto("/ui")
    page.get_by_label("Failed only").check()
    page.get_by_label("Rule or family").fill("cho")
    page.keyboard.press("Enter")
    page.wait_for_url("**/ui?rule=cho&model=&client=&status=&failed=1")
    assert page.locator("tbody tr").count() == 1
    page.get_by_role("link", name="Show all").click()
    page.wait_for_url("**/ui")
    assert page.locator("tbody tr").count() == 3


def test_other_sites(page: Any, served: Served) -> None:
    """A form of another site, the page in a frame of another site, and another name for this machine."""
    form = (
        f"<form method=post action='{served.url}/ui/convert'><input name=payload value='{{}}'><button>x</button></form>"
    )
    page.goto(f"data:text/html,{form}")
    with page.expect_response("**/ui/convert") as sent:
        page.click("button")
    assert sent.value.status == 403
    page.goto(f"data:text/html,<iframe src='{served.url}/ui'></iframe>")
    page.wait_for_timeout(300)
    assert all("proxai-ir" not in frame.content() for frame in page.frames[1:])
    context = page.context.browser.new_context()
    other = context.new_page()
    assert other.goto(f"http://rebound.localhost:{served.port}/ui").status == 403
    context.close()


def test_the_token_of_the_url(chromium: Any, served: Served) -> None:
    """It opens the page, from a link of another site too, stays in no history, and lasts as long as the browser."""
    context = chromium.new_context(base_url=served.url)
    page = context.new_page()
    assert page.goto("/ui").status == 401
    page.goto(f"data:text/html,<a href='{served.url}/ui?failed=1%26token={TOKEN}'>a terminal in a browser</a>")
    page.get_by_role("link").click()
    page.wait_for_url("**/ui?failed=1")
    assert page.locator("h1").inner_text() == "Exchanges"
    page.get_by_role("link", name="Convert").click()
    page.wait_for_url("**/ui/convert")
    assert TOKEN not in page.evaluate("document.referrer")
    (cookie,) = context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"], cookie["expires"]) == (True, "Strict", "/ui", -1)
    assert TOKEN not in cookie["value"]
    context.close()


# --- as a debugger ---


@pytest.fixture(scope="module")
def session(served: Served) -> Served:
    """Three turns of an agent in the same log."""
    storage = Storage(served.file)
    messages: list[Any] = [{"role": "user", "content": "Mend the parser of dates."}]
    for at in range(3):
        turn = recorded(f"turn-{at}", ANTHROPIC, CHAT, streamed=at < 2, messages=messages)
        storage.record(evolve(turn, started=NOW - 100 + at, session="dates"))
        call = {"type": "tool_use", "id": f"toolu_{at}", "name": "read", "input": {"path": f"{at}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{at}", "content": f"def parse_{at}(text): ..."}
        messages = [*messages, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    storage.close(20)
    return served


def with_alt(page: Any, key: str) -> None:
    """An access key as a keyboard sends it; Playwright's own event lacks the text that it is known by."""
    code = {"code": f"Key{key.upper()}", "windowsVirtualKeyCode": ord(key.upper()), "modifiers": 1}
    event = {"type": "keyDown", "key": key, "text": key, "unmodifiedText": key, **code}
    page.context.new_cdp_session(page).send("Input.dispatchKeyEvent", event)


def test_turns_by_keyboard(page: Any, session: Served) -> None:
    page.goto("/ui")
    page.locator("tr.session", has_text="3 turns").get_by_role("link").click()
    assert page.locator("tbody th a").count() == 3
    page.locator("tbody th a").first.click()
    page.wait_for_url("**/turn-0")
    for key, arrived in (("j", "**/turn-1"), ("j", "**/turn-2"), ("k", "**/turn-1"), ("g", "**/ui?session=*")):
        with_alt(page, key)
        page.wait_for_url(arrived)
    with_alt(page, "h")
    assert page.locator("kbd", has_text="J").is_visible(), "the keys are documented on the page"
    with_alt(page, "e")
    page.wait_for_url("**/ui")
    with_alt(page, "s")
    assert page.evaluate("document.activeElement.id") == "rule"


def test_what_is_the_same_is_on_one_level_and_scrolls_together(page: Any, session: Served) -> None:
    page.goto("/ui/exchanges/turn-2")
    texts = page.locator(".panes").first.get_by_text("def parse_1(text): ...")
    assert texts.count() == 3, "from the client, in the IR, to the provider"
    tops = [texts.nth(at).bounding_box()["y"] for at in range(3)]
    assert max(tops) - min(tops) < 2
    page.locator(".panes").first.evaluate("pane => pane.scrollTop = 200")
    assert [texts.nth(at).bounding_box()["y"] for at in range(3)] == [top - 200 for top in tops]


def test_a_stream_is_assembled_and_its_events_are_one_key_away(page: Any, session: Served) -> None:
    page.goto("/ui/exchanges/turn-1")
    response = page.locator(".panes").nth(1)
    assert "Assembled from 6 events" in page.locator("main").inner_text()
    assert "delta" not in response.inner_text()
    with_alt(page, "r")
    page.wait_for_url("**/turn-1?raw=1#of-response")
    assert '"delta"' in page.locator(".panes").nth(1).inner_text()
    assert page.locator(".panes").nth(1).locator("mark").count() > 0


def test_an_exchange_is_opened_in_the_form(page: Any, session: Served) -> None:
    page.goto("/ui/exchanges/turn-2")
    with_alt(page, "c")
    page.wait_for_url("**/ui/convert?exchange=turn-2")
    page.get_by_role("button", name="Convert").click()
    assert "toolu_1" in "".join(page.locator("pre.sent").all_inner_texts())


def test_a_list_refreshes_by_itself(page: Any, session: Served) -> None:
    page.goto("/ui")
    with page.expect_response("**/ui?refresh=1") as asked:
        page.get_by_role("link", name="Refresh by itself").click()
    assert asked.value.headers["refresh"] == "5"
    with page.expect_response("**/ui?refresh=") as asked:
        page.get_by_role("link", name="Do not refresh").click()
    assert "refresh" not in asked.value.headers


def test_on_a_phone(chromium: Any, session: Served) -> None:
    context = signed_in(chromium, session, viewport={"width": 390, "height": 844})
    page = context.new_page()
    for path in ("/ui", "/ui?recurring=1", "/ui/sums", "/ui/exchanges/turn-2", "/ui/exchanges/a1"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.goto("/ui")
    row = page.locator("tbody tr", has_text="SMP-3").first
    found = row.locator("td[data-label=Reported]").bounding_box()
    assert found["x"] >= 0
    assert found["x"] + found["width"] <= 390
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_sums(chromium: Any, session: Served, width: int) -> None:
    """Bars are in sight, in colours of the style, and the texts of a plot can be read at both widths."""
    context = signed_in(chromium, session, viewport={"width": width, "height": 844})
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto("/ui/sums?by=client&span=1d")
    assert page.locator("figure").count() == 5, (
        "the exchanges, of which some failed and lost something; and their tokens"
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bars = page.locator("path[class^=s]")
    assert bars.count() > 5
    assert {bars.nth(at).evaluate("bar => getComputedStyle(bar).fill") for at in range(2)} == {
        "rgb(33, 102, 172)",
        "rgb(201, 106, 0)",
    }
    for at in range(bars.count()):
        box = bars.nth(at).bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert box["height"] >= 1
    heights = [page.locator("svg text").nth(at).bounding_box()["height"] for at in range(3)]
    assert min(heights) >= 11
    page.get_by_label("By").select_option("rule")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/ui/sums?by=rule&span=1d")
    assert "SMP-3" in page.get_by_role("list", name="Colours").inner_text()
    with page.expect_download() as file:
        page.get_by_role("link", name="CSV").click()
    assert file.value.suggested_filename == "sums.csv"
    assert complaints == []
    context.close()
