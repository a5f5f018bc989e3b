# SPDX-License-Identifier: BSD-3-Clause
"""What the rules need to know of C++ text: code without comments, and where functions are."""
import re
from typing import NamedTuple


class Function(NamedTuple):
    name: str
    first_line: int
    last_line: int

    @property
    def lines(self):
        return self.last_line - self.first_line + 1


TOKEN = re.compile(
    r"""//(?:\\\n|[^\n])*                       # comment to the end of the line
      | /\*.*?(?:\*/|\Z)                        # comment
      | R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)" # raw string
      | "(?:\\.|[^"\\\n])*"                     # string
      | (?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+' # character, not a digit separator
    """,
    re.VERBOSE | re.DOTALL,
)


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def _blank_text(match):
    text = match.group()
    if text.startswith("/"):
        return _blank(match)
    # The quotes stay, so that an include's or a call's shape can still be seen.
    return text[0] + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1]


def without_comments(text):
    """The same text, same length, same lines, with comments blanked."""
    return TOKEN.sub(lambda m: _blank(m) if m.group().startswith("/") else m.group(), text)


def code_only(text):
    """The same text, same length, same lines, with comments and literals blanked."""
    return TOKEN.sub(_blank_text, text)


PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
CONTAINER = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b[^()=]*$")
ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^()]*(?:\([^()]*\))?[^()]*\)", re.DOTALL)
ACCESS = re.compile(r"\s*(?:public|private|protected)\s*:(?!:)")
CONSTRUCTOR_COLON = re.compile(r"\)\s*(?:noexcept\s*(?:\([^()]*\))?\s*)?:(?!:)")


def _closing_brace(code, opening):
    depth = 0
    for position in range(opening, len(code)):
        if code[position] == "{":
            depth += 1
        elif code[position] == "}":
            depth -= 1
            if depth == 0:
                return position
    return len(code) - 1


def _is_member_initializer(header):
    """`: limit_{limit}` before a constructor's body."""
    return bool(CONSTRUCTOR_COLON.search(header)) and header.rstrip()[-1:] not in (")", "}", "")


def _name(header):
    match = re.search(r"([\w:~]+|operator\W+)\s*\(", header)
    if match and match.group(1) in ("TEST", "TEST_F", "TEST_P"):
        return " ".join(header.split())
    return match.group(1).strip() if match else "?"


def functions(text):
    """Every function with a body, in order of appearance."""
    code = PREPROCESSOR.sub(_blank, code_only(text))
    found = []
    position = header_start = 0
    while position < len(code):
        character = code[position]
        if character in ";}":
            header_start = position + 1
        elif character == "{":
            header = code[header_start:position]
            access = ACCESS.match(header)
            while access:
                header_start += access.end()
                header = code[header_start:position]
                access = ACCESS.match(header)
            shape = ATTRIBUTE.sub(" ", header)
            if CONTAINER.search(shape):
                header_start = position + 1
            elif _is_member_initializer(shape):
                position = _closing_brace(code, position)
            else:
                closing = _closing_brace(code, position)
                if "(" in shape:
                    first = header_start + len(header) - len(header.lstrip())
                    found.append(Function(_name(shape), code.count("\n", 0, first) + 1,
                                          code.count("\n", 0, closing) + 1))
                    header_start = closing + 1
                position = closing
        position += 1
    return found
