"""The playground: what it has in place of orjson, the archive that a browser gets, and the page itself."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from proxai_ir.protocol.registry import protocols

from ..outside.projects import ROOT
from ..samples import SAMPLES

DOCS = ROOT / ".docs"
PYODIDE = DOCS / "node_modules" / "pyodide" / "pyodide.mjs"
PAYLOADS = ROOT / "spec" / "payloads"
REQUEST = PAYLOADS / "openai_chat_completions_request.json"


def module(name: str, folder: Path = DOCS) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


as_orjson = module("as_orjson", DOCS / "playground")


def tried(function: Any, value: Any, error: type[Exception]) -> Any:
    try:
        return repr(function(value))
    except error:
        return error.__mro__[-4].__name__ if error is not TypeError else "TypeError"


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_it_reads_and_writes_payloads_as_orjson_does(sample: Any) -> None:
    data = orjson.dumps(sample.payload)
    assert as_orjson.dumps(sample.payload) == data
    assert as_orjson.loads(data) == orjson.loads(data)


READ = [
    *(b"1e5 -0 1.0 18446744073709551615 18446744073709551616 -9223372036854775809 NaN [Infinity] {} nul".split()),
    *(
        b'"\\ud800"',
        b'"\\ud83d\\ude00"',
        b"\xff",
        b"\xef\xbb\xbf{}",
        b"",
        b" ",
        b'{"a": 1, "a": 2}',
        b"[1,]",
        b"{'a': 1}",
    ),
    b"[" * 100_000,
]
WRITTEN: list[Any] = [
    *(
        1.5,
        float("nan"),
        [float("inf")],
        2**64,
        -(2**63),
        True,
        None,
        "\ud800",
        {1: 2},
        {"a": {"b": ()}},
        {1, 2},
        "é😀\u2028",
    ),
    [{"a": [1, "\x00"]}],
]


@pytest.mark.parametrize("data", READ, ids=lambda data: repr(data[:30]))
def test_it_refuses_to_read_what_orjson_refuses(data: bytes) -> None:
    assert tried(as_orjson.loads, data, json.JSONDecodeError) == tried(orjson.loads, data, json.JSONDecodeError)


@pytest.mark.parametrize("value", WRITTEN, ids=repr)
def test_it_refuses_to_write_what_orjson_refuses(value: Any) -> None:
    assert tried(as_orjson.dumps, value, TypeError) == tried(orjson.dumps, value, TypeError)


def test_the_archive_is_all_that_a_conversion_needs(tmp_path: Path) -> None:
    """In a Python without any other package."""
    code = f"""
import sys; sys.path[:0] = [{str(DOCS)!r}, {str(ROOT)!r}]
import playground_page; from pathlib import Path
import zipfile
with zipfile.ZipFile({str(tmp_path / "made.zip")!r}, "w") as archive:
    for name, file in playground_page.files(): archive.write(file, name)
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    call = "import glue; print(getattr(glue, sys.argv[5])(open(sys.argv[1]).read(), *sys.argv[2:5]))"

    def shown(file: Path, src: str, kind: str, dst: str = "anthropic_messages", name: str = "shown") -> Any:
        command = [sys.executable, "-S", "-E", "-c", f"import sys; sys.path.insert(0, 'made.zip'); {call}"]
        done = subprocess.run(
            [*command, str(file), src, dst, kind, name], check=True, cwd=tmp_path, capture_output=True, text=True
        )
        return json.loads(done.stdout)

    request = shown(REQUEST, "openai_chat_completions", "")
    assert json.loads(request["output"])["max_tokens"] == 800
    assert {"SMP-10", "IMG-1"} <= {one["rule"] for one in request["findings"]}
    stream = shown(PAYLOADS / "openai_responses_stream.sse", "openai_responses", "stream")
    assert stream["output"].startswith("event: message_start\n")
    refused = shown(REQUEST, "openai_responses", "response")
    assert (refused["refused"], refused["output"]) == (True, "")
    assert refused["findings"][0]["severity"] == "error"
    explained = shown(REQUEST, "openai_chat_completions", "", "gemini_generate_content", "explained")["findings"]
    (lost,) = [one for one in explained if one["rule"] == "SMP-7"]
    assert lost["remedies"][0] == "Profile('gemini_generate_content', logprobs=True), if the server has it"


@pytest.mark.slow
def test_the_page_names_what_is_missing_or_has_it(site: Path) -> None:
    text = (site / "playground" / "index.html").read_text(encoding="utf-8")
    assert f'"available":{json.dumps(PYODIDE.exists())}' in text
    assert (site / "assets" / "playground" / "proxai_ir.zip").exists() is PYODIDE.exists()


@pytest.mark.slow
def test_the_playground_converts_in_a_browser(address: str, browser: Any) -> None:
    if not PYODIDE.exists():
        pytest.skip("Pyodide is not installed: npm install --prefix .docs")
    converted = "document.querySelector('.playground .state').value.startsWith('Converted')"
    page = browser.new_page()
    page.goto(f"{address}/playground/")
    page.wait_for_function(converted, timeout=120_000)
    assert '"max_tokens": 800' in page.input_value("[aria-label=target]")
    assert page.get_attribute(".findings a >> nth=0", "href").startswith("../rules/")
    examples = page.locator("[aria-label=example] option").all_inner_texts()[1:]
    assert len(examples) == 4 * len(protocols())  # one of each kind
    for at in range(len(examples)):
        page.select_option("[aria-label=example]", str(at))
        of_chat = examples[at].startswith("openai_chat_completions")
        page.select_option("[aria-label=to]", "anthropic_messages" if of_chat else "openai_chat_completions")
        page.wait_for_function(converted, timeout=30_000)
        assert page.input_value("[aria-label=target]") != "", examples[at]
    page.select_option("[aria-label=to]", "gemini_generate_content")
    page.fill(
        "[aria-label=source]", '{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "logprobs": true}'
    )
    page.select_option("[aria-label=from]", "openai_chat_completions")
    page.select_option("[aria-label=kind]", "request")
    page.wait_for_selector(".remedy", timeout=30_000)
    remedy = "Profile('gemini_generate_content', logprobs=True), if the server has it"
    assert page.locator(".remedy").first.inner_text() == remedy
    page.select_option("[aria-label=to]", "anthropic_messages")
    page.fill("[aria-label=source]", '{"model": "m", "messages": [{"role": "user", "content": "Hi"}], "seed": 3}')
    page.wait_for_function("document.querySelector('.findings').innerText.includes('/seed')", timeout=30_000)
    page.wait_for_function("location.hash.includes('payload=')")
    again = browser.new_page()
    again.goto(page.url)
    again.wait_for_function(converted, timeout=120_000)
    assert again.input_value("[aria-label=source]") == page.input_value("[aria-label=source]")
    page.close()
    again.close()
