"""Tools that clients run in a form of their vendor's own, as functions: a description and a schema for each (TUL-37).

Rule: the names of the parameters are those of the vendor's own call, so that a client runs a converted call as its own.
Where a vendor documents a form: Anthropic in the pages of the bash, text editor, memory and computer use tools; OpenAI
in the pages of the shell, local shell, apply patch and tool search tools, and both in the types of their SDKs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson


class Form(NamedTuple):
    description: str
    parameters: dict[str, Any]

    def schema(self) -> dict[str, Any]:
        """Return a copy of the parameters, which callers may change; it takes a tenth of the time of `deepcopy`."""
        copied: dict[str, Any] = orjson.loads(orjson.dumps(self.parameters))
        return copied


def _text(description: str, **members: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **members}


def _integer(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


def _pair(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "integer"}, "description": description}


def _object(required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


# --- Anthropic --------------------------------------------------------------------------------------------------------

_EDITING = {
    "path": _text("The file or directory."),
    "view_range": _pair("view: the first and the last line to show; -1 as the last is the end of the file."),
    "file_text": _text("create: the content of the new file."),
    "old_str": _text("str_replace: the text to replace; it must occur exactly once."),
    "new_str": _text("str_replace: the text to put in its place."),
    "insert_line": _integer("insert: the line after which to insert; 0 is the beginning of the file."),
    "insert_text": _text("insert: the text to insert."),
}
_KEYS = ("left_click right_click middle_click double_click triple_click left_click_drag left_mouse_down left_mouse_up "
         "mouse_move scroll key hold_key type wait screenshot cursor_position zoom")  # fmt: skip

BASH = Form(
    "Runs commands in a bash session, which keeps its state between calls.",
    _object(
        "", command=_text("The command to run."), restart={"type": "boolean", "description": "Restart the session."}
    ),
)
TEXT_EDITOR = Form(
    "Views and edits text files.",
    _object("command path", command=_text("What to do.", enum=["view", "create", "str_replace", "insert"]), **_EDITING),
)
OLD_TEXT_EDITOR = Form(
    "Views and edits text files.",
    _object(
        "command path",
        command=_text("What to do.", enum=["view", "create", "str_replace", "insert", "undo_edit"]),
        **{key: value for key, value in _EDITING.items() if key != "insert_text"},
    ),
)
MEMORY = Form(
    "Keeps files in the directory /memories from one conversation to the next. Look there before you begin.",
    _object(
        "command",
        command=_text("What to do.", enum=["view", "create", "str_replace", "insert", "delete", "rename"]),
        **_EDITING,
        old_path=_text("rename: the present path."),
        new_path=_text("rename: the new path."),
    ),
)
COMPUTER = Form(
    "Operates a computer by its screen, mouse and keyboard. Coordinates are pixels, x and y, from the top left.",
    _object(
        "action",
        action=_text("What to do.", enum=_KEYS.split()),
        coordinate=_pair("Where: x and y."),
        start_coordinate=_pair("left_click_drag: where to begin."),
        text=_text("The text to type, the keys to press, or a key to hold meanwhile."),
        scroll_direction=_text("scroll: where to.", enum=["up", "down", "left", "right"]),
        scroll_amount=_integer("scroll: by how many steps."),
        duration={"type": "number", "description": "hold_key, wait: for how many seconds."},
        region=_pair("zoom: x and y of the top left corner, then of the bottom right one."),
    ),
)

ANTHROPIC = {
    **dict.fromkeys(("bash_20241022", "bash_20250124"), BASH),
    **dict.fromkeys(("text_editor_20241022", "text_editor_20250124"), OLD_TEXT_EDITOR),
    **dict.fromkeys(("text_editor_20250429", "text_editor_20250728"), TEXT_EDITOR),
    "memory_20250818": MEMORY,
    **dict.fromkeys(("computer_20241022", "computer_20250124", "computer_20251124"), COMPUTER),
}
"""The tools by type; their calls and results are those of functions."""

# --- OpenAI -----------------------------------------------------------------------------------------------------------

_STRINGS = {"type": "array", "items": {"type": "string"}}

SHELL = Form(
    "Runs shell commands on the user's computer.",
    _object(
        "commands",
        commands={**_STRINGS, "description": "The commands, each a line for the shell."},
        timeout_ms=_integer("How long they may take, in milliseconds."),
        max_output_length=_integer("How many characters of output to return."),
    ),
)
LOCAL_SHELL = Form(
    "Runs a command on the user's computer.",
    _object(
        "command",
        command={**_STRINGS, "description": "The program and its arguments."},
        env={"type": "object", "additionalProperties": {"type": "string"}, "description": "Environment variables."},
        timeout_ms=_integer("How long it may take, in milliseconds."),
        user=_text("The user to run it as."),
        working_directory=_text("The directory to run it in."),
    ),
)
APPLY_PATCH = Form(
    "Creates, updates or deletes one file.",
    _object(
        "type path",
        type=_text("What to do.", enum=["create_file", "update_file", "delete_file"]),
        path=_text("The path of the file."),
        diff=_text(
            "create_file, update_file: the changes as hunks that begin with a line `@@`; in them each line begins with "
            "a space where it stays, `-` where it goes, `+` where it is new."
        ),
    ),
)
TOOL_SEARCH = Form(
    "Finds further tools, which can be called afterwards.", _object("query", query=_text("What the tools should do."))
)

OPENAI = {"shell": SHELL, "local_shell": LOCAL_SHELL, "apply_patch": APPLY_PATCH, "tool_search": TOOL_SEARCH}
"""The tools by type, which is also the function's name."""
