"""Find docstrings that are no sentences: `python -m tests.prose proxai_ir/passes` lists those of a folder.

A function's docstring begins with a verb in the imperative; that of a property, class or module may begin with a noun.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
READ_ALONE = ("claims", "clients/table", "conform", "found", "reviews", "sessions")
"""Folders of tests whose programs are run by themselves, too."""
ROOMS = ("proxai_ir", "frontends", "backends", ".docs", ".ci", *(f"tests/{one}" for one in READ_ALONE))
Function = ast.FunctionDef | ast.AsyncFunctionDef

VERBS = frozenset(
    """
    accept add adjust adopt advance allow announce answer append apply ask assert assign attach await begin bind
    bound build bring buffer cache call carry change check choose claim clean clear close collect combine compare
    compile complete compute configure connect consume continue convert copy correct count create cut declare
    decode decide decompress define delete deliver derive describe detect determine disable discard distribute
    divide do download draw drop dump emit empty enable encode end enforce ensure enter escape estimate exclude
    execute exit expand expect explain expose extend extract fail fetch fill filter find finish fit fix flatten flush
    fold follow forget format forward fulfil generate get give go group guard guess handle hash hide hold identify
    ignore import include indent infer insert inspect install interpret invert isolate iterate join judge keep
    label launch lay leave let lift limit link list listen load lock log look lower make map mark match measure
    merge mint mock mount move name narrow negate normalise note notice number observe open order pack pad pair
    parse pass patch perform pick place plan play point poll prefer prepare prepend present prevent print probe process
    produce protect provide prune publish pull push put quote raise rank read rebuild receive recognise record
    redact reduce refer refuse register reject relay release reload remember remove rename render reopen repair
    repeat replace reply report represent request require rerun reserve reset resolve respond rest restate restore
    restrict resume retry return reuse reverse rewrite root round route run save say scan score search see select send
    separate serialise serve set settle share shorten show shut sign skip sort split spread start state stop store
    stream strip submit substitute subtract sum suppress swap sweep switch take tell test throw tidy time trace
    track translate treat trim truncate try turn type unify unpack unwrap update upgrade use validate verify visit
    wait walk warn watch weigh widen withdraw withhold wrap write yield
    """.split()
)
"""Verbs that docstrings begin with."""
NO_BEGINNING = frozenset("What Which Whose Where How Why Of None That With For As".split())
"""Words with which the docstring of a class or a module is no description of it."""


def is_fragment(node: ast.AST, docstring: str) -> bool:
    """Return whether a docstring does not begin as one of its kind does, or its first paragraph does not end."""
    first = docstring.split(None, 1)[0].strip(",.:;")
    paragraph = docstring.split("\n\n")[0].split("\n    ")[0].rstrip()
    if not paragraph.endswith((".", ":", "?", "!", ")")):
        return True
    if isinstance(node, Function) and not is_attribute(node):
        return first.lower() not in VERBS or not first[0].isupper()
    return first in NO_BEGINNING


def is_attribute(function: Function) -> bool:
    """Return whether callers see a property in place of a function."""
    return any(
        ast.unparse(one).rpartition(".")[2] in ("property", "cached_property", "setter")
        for one in function.decorator_list
    )


def docstrings(file: Path) -> Iterator[tuple[ast.AST, int, str]]:
    """Yield the module, classes and functions of a file that have a docstring, with the line of each."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | Function):
            text = ast.get_docstring(node)
            if text:
                yield node, getattr(node, "lineno", 1), text


def files(folders: Sequence[str]) -> Iterator[Path]:
    """Yield the Python files of folders, of those that are links only what they are linked to."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*.py")):
            if "node_modules" not in file.parts and not any(parent.is_symlink() for parent in file.parents):
                yield file


def main(*folders: str) -> int:
    """Print the fragments of folders, and how many they are of all docstrings."""
    fragments, count = 0, 0
    for file in files(folders or ROOMS):
        for node, line, text in docstrings(file):
            count += 1
            if is_fragment(node, text):
                fragments += 1
                print(f"{file.relative_to(ROOT)}:{line}: {text.splitlines()[0]}")
    print(f"{fragments} of {count}")
    return int(fragments > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
