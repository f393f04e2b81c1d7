"""The pages of the public headers: each header's contract, then its declarations with their comments, in the order of the file.

Public is what the three umbrella headers include. Clang says what is declared where; the text shown is the header's own,
without the bodies of functions and without what is private.
"""

import html
import os
import re
import shutil
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from clang import cindex
from pygments import lex
from pygments.lexers import CppLexer, TextLexer
from pygments.token import STANDARD_TYPES, Token

K = cindex.CursorKind
RECORDS = {K.STRUCT_DECL, K.CLASS_DECL, K.CLASS_TEMPLATE, K.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION, K.UNION_DECL}
FUNCTIONS = {K.FUNCTION_DECL, K.FUNCTION_TEMPLATE, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION}
OTHERS = {K.ENUM_DECL, K.VAR_DECL, K.FIELD_DECL, K.TYPE_ALIAS_DECL, K.TYPE_ALIAS_TEMPLATE_DECL, K.CONCEPT_DECL, K.UNEXPOSED_DECL}
LONGEST_INITIALISER = 12  # lines; of a longer one only the first line is shown


@dataclass
class Declaration:
    """One declaration of a header: its lines, the comment above it, and for a class its public members."""

    name: str
    kind: K
    first_line: int  # from 1
    last_line: int
    text: str
    comment: str
    members: list["Declaration"] = field(default_factory=list)


@dataclass
class Header:
    path: str  # as it is included: "driver/routing/route.hpp"
    lines: list[str]
    contract: str
    declarations: list[Declaration] = field(default_factory=list)
    umbrellas: list[str] = field(default_factory=list)

    @property
    def summary(self) -> str:
        """The first sentence of the contract, without the file's name."""
        first = re.split(r"\n\s*\n", self.contract)[0].replace("\n", " ")
        first = first.removeprefix(Path(self.path).name + " - ")
        return first[:1].upper() + first[1:]


def read_headers(root: Path, include_folder: Path) -> dict[str, Header]:
    """Parses the umbrella headers, those that CMakeLists.txt installs, and returns every public header by its path. Raises
    ValueError if Clang reports an error."""
    lists = re.findall(r"^ *muster_install_headers\((.*)\)$", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    umbrellas = " ".join(lists).split()
    shutil.rmtree(include_folder, ignore_errors=True)
    (include_folder / "muster").mkdir(parents=True)
    for entry in [*root.iterdir(), *(root / "include" / "muster").iterdir()]:
        (include_folder / "muster" / entry.name).symlink_to(entry)
    text = "".join(f"#include <muster/{umbrella}>\n" for umbrella in umbrellas)
    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = cindex.Index.create().parse("public.cpp", ["-std=c++23", f"-I{include_folder}"], [("public.cpp", text)], options)
    errors = [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if errors:
        raise ValueError("Clang can't read the public headers:\n" + "\n".join(errors))

    prefix = f"{include_folder}/muster/"
    includes: dict[str, set[str]] = {}
    for inclusion in unit.get_includes():
        if inclusion.include.name.startswith(prefix):
            includes.setdefault(inclusion.source.name.removeprefix(prefix), set())
            includes.setdefault(inclusion.include.name.removeprefix(prefix), set())
    headers = {}
    for path in sorted((name for name in includes if name != "public.cpp"), key=lambda name: (os.path.dirname(name), name)):
        lines = (include_folder / "muster" / path).read_text().splitlines()
        headers[path] = Header(path, lines, leading_contract(lines))
    for umbrella in umbrellas:
        for path in reached_from(umbrella, headers):
            headers[path].umbrellas.append(umbrella)
    declarations_of(unit.cursor, prefix, headers)
    for header in headers.values():
        header.declarations.sort(key=lambda d: d.first_line)
    return headers


def reached_from(umbrella: str, headers: dict[str, Header]) -> set[str]:
    reached, waiting = set(), [umbrella]
    while waiting:
        path = waiting.pop()
        if path in reached:
            continue
        reached.add(path)
        for line in headers[path].lines:
            if match := re.match(r"#include <muster/([^>]+)>", line):
                waiting.append(match[1])
    return reached


def leading_contract(lines: list[str]) -> str:
    text = []
    for line in lines:
        if not line.startswith("//"):
            break
        text.append(line.removeprefix("//").removeprefix(" "))
    return "\n".join(text).strip("\n")


def declarations_of(scope: cindex.Cursor, prefix: str, headers: dict[str, Header], is_detail: bool = False) -> None:
    for cursor in scope.get_children():
        file = cursor.location.file
        if file is None or not file.name.startswith(prefix):
            continue
        header = headers[file.name.removeprefix(prefix)]
        if cursor.kind == K.NAMESPACE:
            declarations_of(cursor, prefix, headers, is_detail or cursor.spelling in ("detail", ""))
        elif is_detail and not any(hidden_friend(member) for member in cursor.get_children()):
            continue  # of `detail`, only functions that argument-dependent lookup finds are for users
        elif declaration := read_declaration(cursor, header):
            header.declarations.append(declaration)


def hidden_friend(member: cindex.Cursor) -> cindex.Cursor | None:
    """The function that a class defines as its friend, which only argument-dependent lookup finds."""
    if member.kind == K.FRIEND_DECL:
        for function in member.get_children():
            if function.kind in FUNCTIONS and function.is_definition():
                return function
    return None


def read_declaration(cursor: cindex.Cursor, header: Header) -> Declaration | None:
    first, last = lines_of(cursor)
    comment = comment_above(header, first)
    if cursor.kind == K.MACRO_DEFINITION:
        if not comment and cursor.spelling not in header.contract:
            return None
        head = re.match(r"#define \w+(\([^)]*\))?", header.lines[first - 1])[0]
        return Declaration(cursor.spelling, cursor.kind, first, last, head, comment)
    elif cursor.kind not in RECORDS | FUNCTIONS | OTHERS or not cursor.spelling:
        return None
    if cursor.kind in RECORDS and not cursor.is_definition() and not comment:
        return None  # a forward declaration
    if header.declarations and header.declarations[-1].first_line == first:
        return None  # `float x, y;` is shown once
    declaration = Declaration(name_of(cursor), cursor.kind, first, last, shown_text(cursor, header), comment)
    if cursor.kind in RECORDS and cursor.is_definition():
        read_members(cursor, header, declaration)
    return declaration


def read_members(cursor: cindex.Cursor, header: Header, record: Declaration) -> None:
    for child in cursor.get_children():
        friend = hidden_friend(child)
        member = friend or child
        if member.kind not in RECORDS | FUNCTIONS | OTHERS or member.location.line <= record.first_line:
            continue
        if friend is None and member.access_specifier != cindex.AccessSpecifier.PUBLIC:
            continue
        if not record.members or record.members[-1].first_line != lines_of(member)[0]:
            if declaration := read_declaration(member, header):
                record.members.append(declaration)


def lines_of(cursor: cindex.Cursor) -> tuple[int, int]:
    """The first and last line. Clang knows no begin of a template whose parameters are all `auto`: then that of its name."""
    first = cursor.extent.start.line or cursor.location.line
    return first, max(first, cursor.extent.end.line)


def comment_above(header: Header, line: int) -> str:
    above = []
    for text in reversed(header.lines[: line - 1]):
        if not text.strip().startswith("///"):
            break
        above.append(text.strip().removeprefix("///").removeprefix(" "))
    return "\n".join(reversed(above))


def shown_text(cursor: cindex.Cursor, header: Header) -> str:
    """The declaration's lines without a function's body, ending with what stands behind it in its last line."""
    first, last = lines_of(cursor)
    lines = header.lines[first - 1 : last]
    body = body_of(cursor)
    if body is not None and cursor.kind in FUNCTIONS:
        lines = header.lines[first - 1 : body.line]
        lines[-1] = lines[-1][: body.column - 1].rstrip()
        text = without_notes("\n".join(lines)).rstrip()
        if name_of(cursor) == cursor.semantic_parent.spelling:  # a constructor: without its initialisers
            text = re.sub(r"\)(\s*noexcept)?\s*:\s.*", r")\1", text, flags=re.DOTALL)
        text += ";"
    else:
        text = "\n".join(lines)
        if cursor.kind == K.VAR_DECL and len(lines) > LONGEST_INITIALISER:
            text = lines[0].rstrip("{").rstrip() + "{...};"
    return textwrap.dedent(without_notes(text))


def name_of(cursor: cindex.Cursor) -> str:
    """The declared name; Clang calls a template's constructor `Value<T>`."""
    return cursor.spelling if cursor.spelling.startswith("operator") else cursor.spelling.split("<")[0]


def without_notes(text: str) -> str:
    """Without what is for compilers and checkers only."""
    return re.sub(r" *// NOLINT.*", "", text.replace("MUSTER_API ", ""))


def body_of(cursor: cindex.Cursor) -> cindex.SourceLocation | None:
    for child in cursor.get_children():
        if child.kind == K.COMPOUND_STMT:
            return child.extent.start
    return None


class Reference:
    """Writes the headers' pages. Knows every public type's place, so that code and comments can lead to it."""

    def __init__(self, headers: dict[str, Header]):
        self.headers = headers
        self.by_file_name: dict[str, list[str]] = {}
        self.places: dict[str, list[tuple[str, str]]] = {}  # name -> (header, anchor)
        self.anchors: set[str] = set()  # of the page being written
        for path, header in headers.items():
            self.by_file_name.setdefault(Path(path).name, []).append(path)
            for declaration in header.declarations:
                if declaration.kind in RECORDS | OTHERS or declaration.kind == K.MACRO_DEFINITION:
                    place = (path, anchor(declaration.name))
                    if place not in self.places.setdefault(declaration.name, []):
                        self.places[declaration.name].append(place)

    def place_of(self, name: str, header: str = "") -> str | None:
        """The path in the site of a public name: of the header's own, or else of the only one with this name."""
        places = self.places.get(name, [])
        own = [place for place in places if place[0] == header] or (places if len(places) == 1 else [])
        return f"{page_of(own[0][0])}#{own[0][1]}" if own else None

    def header_named(self, name: str) -> str | None:
        """The public header of this name: "route.hpp", "driver/routing/route.hpp" or "<muster/driver/routing/route.hpp>"."""
        name = name.strip("<>").removeprefix("muster/")
        if name in self.headers:
            return name
        same = [path for path in self.by_file_name.get(Path(name).name, []) if f"/{path}".endswith(f"/{name}")]
        return same[0] if len(same) == 1 else None

    def page(self, header: Header) -> str:
        self.anchors = set()
        out = [f"# {header.path}\n", self.prose(header.summary, header.path)]
        includers = ", ".join(f"[`<muster/{u}>`]({up(header.path)}{page_of(u, '.md')})" for u in header.umbrellas if u != header.path)
        out.append(f"`#include <muster/{header.path}>`" + (f", or what includes it: {includers}" if includers else "") + "\n")
        rest = re.split(r"\n\s*\n", header.contract, maxsplit=1)[1:]
        out += [self.prose(text, header.path) for text in rest]
        if header.path in header.umbrellas:
            out.append(self.includes(header))
        for group in grouped(header.declarations):
            out.append(self.section(group, header, "##", ""))
        return "\n".join(out)

    def new_anchor(self, name: str) -> str | None:
        """The anchor, if the page doesn't have it yet: overloads stand together or apart, and the first one is meant."""
        if name in self.anchors:
            return None
        self.anchors.add(name)
        return name

    def includes(self, header: Header) -> str:
        rows = ["## What it includes\n"]
        for line in header.lines:
            if match := re.match(r"#include <muster/([^>]+)>", line):
                included = self.headers[match[1]]
                rows.append(f"- [{included.path}]({included.path}.md): {self.prose(included.summary, '').strip()}")
        return "\n".join(rows) + "\n"

    def section(self, group: list[Declaration], header: Header, level: str, scope: str) -> str:
        """A heading, the declarations' text, their comment, and for a class whose members have comments these, one by one."""
        first = group[0]
        names = list(dict.fromkeys(d.name for d in group))
        title = ", ".join(f"`{name}`" for name in names[:3]) + (", ..." if len(names) > 3 else "")
        ids = [id for name in names if (id := self.new_anchor(scope + anchor(name)))]
        out = [f"{level} {title}" + (f" {{#{ids[0]}}}" if ids else "") + "\n"]
        if ids[1:]:
            out.append("".join(f'<span id="{id}"></span>' for id in ids[1:]) + "\n")
        if is_long(first):
            out.append(self.prose(first.comment, header.path))
            out.append(self.code(first.text.split("{")[0].rstrip() + ";", header.path))
            for members in grouped(first.members):
                out.append(self.section(members, header, level + "#", f"{anchor(first.name)}-"))
            if group[1:]:
                out.append(self.code("\n".join(d.text for d in group[1:]), header.path))
        else:
            out.append(self.code("\n".join(public_text(d, header) for d in group), header.path))
            out.append(self.prose(first.comment, header.path))
        return "\n".join(out)

    def code(self, text: str, header: str) -> str:
        """C++ as HTML, in which the names of public types lead to them."""
        spans = []
        parameters = set(re.findall(r"\b(?:class|typename)(?:\.\.\.)? (\w+)[,>= ]", text))
        for kind, value in lex(text, CppLexer()):
            css = STANDARD_TYPES.get(kind, "")
            shown = html.escape(value)
            target = self.place_of(value, header) if kind in Token.Name and value[:1].isupper() and len(value) > 1 and value not in parameters else None
            if target and target.split("#")[0] == page_of(header):
                target = "#" + target.split("#")[1]
            elif target:
                target = up(header) + target
            if target:
                shown = f'<a href="{target}">{shown}</a>'
            spans.append(f'<span class="{css}">{shown}</span>' if css else shown)
        # Markdown ends a raw block at nothing but its closing tag; an empty line in it is kept as it is.
        return f'<div class="highlight"><pre><code>{"".join(spans).rstrip()}</code></pre></div>\n'

    def prose(self, text: str, header: str) -> str:
        """A comment as Markdown: indented lines are code or a table, the names of headers and of public types become links."""
        out: list[str] = []
        block: list[str] = []
        in_list = False
        for line in [*text.split("\n"), ""]:
            item = re.match(r"\s*(- |\d+\. )", line) is not None
            in_list = item or (in_list and line.startswith(" "))
            if line.startswith("  ") and not in_list:
                block.append(line)
                continue
            if block and not line:
                block.append(line)  # perhaps in the middle of code
                continue
            if block:
                out += ["", self.indented("\n".join(block), header), ""]
                block = []
            if item and out and out[-1].strip() and not re.match(r"\s*(- |\d+\. |  )", out[-1]):
                out.append("")
            out.append(self.inline(line, header))
        if block:
            out += ["", self.indented("\n".join(block), header)]
        return "\n".join(out) + "\n"

    def indented(self, text: str, header: str) -> str:
        text = textwrap.dedent(text).rstrip()
        is_cpp = re.search(r"[;{}]|#include|^(for|if|auto) ", text) is not None and not re.search(r"^\w+  +\w", text, re.MULTILINE)
        return self.code(text, header) if is_cpp else plain_code(text)

    def inline(self, line: str, header: str) -> str:
        parts = re.split(r"(`[^`]*`)", line)
        for at, part in enumerate(parts):
            if part.startswith("`"):
                parts[at] = self.linked(part, up(header) if header else "")
            else:
                part = re.sub(r"([*_])", r"\\\1", part.replace("&", "&amp;").replace("<", "&lt;"))
                part = re.sub(r"\bdocs/([a-z-]+)\.md\b", lambda m: f"[`{m[0]}`]({up(header) if header else ''}{m[0]})", part)
                parts[at] = re.sub(r"\b[a-z0-9_/\\]+\.(?:def|hpp)\b", lambda m: self.linked(m[0].replace("\\", ""), up(header) if header else ""), part)
        return "".join(parts)

    def linked(self, code: str, prefix: str) -> str:
        """Inline code, as a link if it names a public header or type, or a type's member."""
        name = code.strip("`")
        shown = f"`{name}`"
        if name.endswith((".def", ".hpp", ".hpp>")):
            path = self.header_named(name)
            return f"[{shown}]({prefix}{page_of(path, '.md')})" if path else shown
        match = re.fullmatch(r"(?:muster::)?([A-Z]\w*)(?:::\w+(?:\(\))?)?|(?:muster::)?(MUSTER_\w+|TRY)(?:\(.*\))?", name)
        target = self.place_of(match[1] or match[2]) if match else None
        return f"[{shown}]({prefix}{target.replace('.html#', '.md#')})" if target else shown


def grouped(declarations: list[Declaration]) -> list[list[Declaration]]:
    """Joins what stands together: functions of one name, and whatever follows without a comment or an empty line."""
    groups: list[list[Declaration]] = []
    for declaration in declarations:
        previous = groups[-1][-1] if groups else None
        follows = previous is not None and not declaration.comment and declaration.first_line == previous.last_line + 1
        if follows and not is_long(previous) and not is_long(declaration):
            groups[-1].append(declaration)
        else:
            groups.append([declaration])
    return groups


def is_long(declaration: Declaration) -> bool:
    """True for a class whose members are shown one by one: one with functions that have comments."""
    return len(declaration.members) > 1 and any(m.comment and m.kind in FUNCTIONS for m in declaration.members)


def public_text(declaration: Declaration, header: Header) -> str:
    """A class's text with its public part only; of anything else, its text with a comment behind it in the same line."""
    if declaration.kind in RECORDS and declaration.members:
        head = declaration.text.split("{")[0].rstrip()
        members = []
        previous = declaration.members[0]
        for member in declaration.members:
            if member.first_line > previous.last_line + 1 and member is not declaration.members[0]:
                members.append("")
            members += [f"    /// {line}" for line in member.comment.split("\n") if line]
            members += [f"    {line}".rstrip() for line in public_text(member, header).split("\n")]
            previous = member
        return head + " {\n" + "\n".join(members) + "\n};"
    if declaration.kind == K.MACRO_DEFINITION:
        return declaration.text
    behind = re.search(r"[;}](\s+//.*)$", without_notes(header.lines[declaration.last_line - 1]))
    code = declaration.text.removesuffix(behind[1]) if behind else declaration.text
    return code.rstrip(";") + ";" + (behind[1] if behind else "")


def plain_code(text: str) -> str:
    return f'<div class="highlight"><pre><code>{html.escape(text)}</code></pre></div>'


def anchor(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") or "operator"


def page_of(header: str, suffix: str = ".html") -> str:
    return header + suffix


def up(page: str) -> str:
    return "../" * page.count("/")
