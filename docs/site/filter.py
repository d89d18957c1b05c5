#!/usr/bin/env python3
"""What Doxygen reads in place of a file: `filter.py FILE` writes it to standard output.

Headers: their public surface alone. Doxygen 1.9 stumbles over requires-clauses, attributes and constrained overloads, and
a reader wants no bodies, no `detail`, no deleted overloads and no `file, line` parameters. Constraints move into the
comment. An overload without a comment of its own refers to the documented one before it.
Markdown: headings get the anchors that GitHub gives them, and links between pages become links to those.
"""

import html
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Bases in `detail` whose members users call: documented as if they were public.
MIXINS = {
    "more_nodes": "Further nodes of every graph of the driver: a base of `basic_graph`.",
    "child_nodes": "Child graphs: a base of `basic_graph`.",
    "conditional_nodes": "Conditional nodes: a base of `basic_graph`.",
    "exec_updates": "Updates of an executable: a base of `graph_exec`.",
}


RULES = set(re.findall(r"^([A-Z]\d+) ", (ROOT / "tests/rules.txt").read_text(), re.M))


def rule_link(match):
    return f'@ref rule_{match[1]} "{match[0]}"' if match[1] in RULES else match[0]


def tagged(line):
    """The driver's functions get a paragraph of their own, and rules a link to their row."""
    line = (
        re.sub(r"(?<=\S)\s*\b(Driver|Runtime): ", r"\n/// @par \1\n/// ", line)
        if not re.match(r"/// (Driver|Runtime): ", line)
        else line
    )
    line = re.sub(r"^/// (Driver|Runtime): ", r"/// @par \1\n/// ", line)
    return linked_rules(re.sub(r"\[([A-Z]\d+)\]", rule_link, line))


def linked_rules(line):
    """Rules in parentheses, as in (rule O3), become links."""
    return re.sub(
        r"(?<=[(])((?:rules? )?(?:[A-Z]\d+(?:, | to | and )?)+)(?=[),;])",
        lambda m: re.sub(r"\b([A-Z]\d+)\b", rule_link, m[1]),
        line,
    )


class Reader:
    """The text of a header, read statement by statement."""

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.out = []
        self.out_line = 1

    # ---- output, on the lines of the original so that warnings lead there

    def emit(self, text, line):
        while self.out_line < line:
            self.out.append("\n")
            self.out_line += 1
        self.out.append(text + "\n")
        self.out_line += text.count("\n") + 1

    def line(self, at=None):
        return self.text.count("\n", 0, self.at if at is None else at) + 1

    # ---- pieces

    def skip_space(self):
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def skip_quoted(self):
        """A string, raw string or character that starts here."""
        raw = re.compile(r'R"([^(]*)\(').match(self.text, self.at)
        if raw:
            self.at = self.text.index(")" + raw[1] + '"', self.at) + len(raw[1]) + 2
            return
        quote = self.text[self.at]
        self.at += 1
        while self.text[self.at] != quote:
            self.at += 2 if self.text[self.at] == "\\" else 1
        self.at += 1

    def step(self):
        """Over one character, string or comment."""
        if self.text.startswith("//", self.at):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif self.text.startswith("/*", self.at):
            self.at = self.text.index("*/", self.at) + 2
        elif self.text[self.at] == '"' or (self.text.startswith('R"', self.at)):
            self.skip_quoted()
        elif self.text[self.at] == "'" and not self.text[self.at - 1].isalnum():
            self.skip_quoted()
        else:
            self.at += 1

    def skip_braces(self):
        """From an opening brace to behind its closing one."""
        depth = 0
        while True:
            c = self.text[self.at]
            if c in "\"'/R":
                self.step()
                continue
            depth += (c == "{") - (c == "}")
            self.at += 1
            if depth == 0:
                return

    def trailing_comment(self):
        match = re.compile(r"[ \t]*,?[ \t]*(///<[^\n]*)").match(self.text, self.at)
        if not match:
            return ""
        self.at = match.end()
        return "  /**<" + match[1][4:] + " */"  # not ///<, which would take the next comment as its continuation

    # ---- a scope

    def read_scope(self, owner=None, public=True, keep=None):
        """Statements up to the closing brace. `owner` names the class, `keep` the classes that a `detail` shows."""
        comment, comment_line = [], 0
        last = None
        after = []  # what stands behind the class: its friends
        while True:
            self.skip_space()
            if self.at >= len(self.text):
                return after
            c = self.text[self.at]
            if c == "}":
                self.at += 1
                return after
            if c == ";":
                self.at += 1
                continue
            if c == "#":
                start = self.at
                while True:
                    self.at = self.text.find("\n", self.at)
                    if self.text[self.at - 1] != "\\":
                        break
                    self.at += 1
                define = re.match(r"#define\s+(ALLOGRAPH_VERSION_\w+)", self.text[start : self.at])
                if define:
                    self.flush(comment, comment_line)
                    self.emit(self.text[start : self.at], self.line(start))
                comment = []
                continue
            if self.text.startswith("///", self.at) and not self.text.startswith("///<", self.at):
                if not comment:
                    comment_line = self.line()
                start = self.at
                self.step()
                comment.append(self.text[start : self.at])
                continue
            if self.text.startswith("//", self.at) or self.text.startswith("/*", self.at):
                self.step()
                comment = [] if c == "/" and not comment else comment
                continue
            access = re.compile(r"(public|protected|private)\s*:(?!:)").match(self.text, self.at)
            if access:
                self.at = access.end()
                public = access[1] == "public"
                comment = []
                continue
            last = self.read_statement(owner, public, keep, comment, comment_line, last, after)
            comment = []

    def flush(self, comment, line):
        if comment:
            self.emit("\n".join(tagged(each) for each in comment), line)

    def read_statement(self, owner, public, keep, comment, comment_line, last, after):
        start = self.at
        parens = 0
        head_end = None
        kind = None
        while True:
            c = self.text[self.at]
            if c in "\"'" or self.text.startswith(("//", "/*", 'R"'), self.at):
                self.step()
                continue
            parens += (c in "([") - (c in ")]")
            if c == ";" and parens == 0:
                head_end = self.at
                self.at += 1
                break
            if c == "{" and parens == 0:
                head = self.text[start : self.at]
                kind = self.kind_of(head, owner)
                if kind in ("namespace", "class", "enum"):
                    head_end = self.at
                    break
                if kind == "function":
                    head_end = self.at
                    self.skip_braces()
                    break
                self.skip_braces()  # an initializer, a lambda or a requirement: the statement goes on
                continue
            elif c == "{":
                self.skip_braces()
                continue
            self.at += 1
        head = self.text[start:head_end]
        line = self.line(start)
        visible = public and keep is None

        if kind == "namespace":
            name = re.sub(r"\b(inline|namespace)\b", "", head).strip()
            self.at += 1
            if name == "detail" or name.endswith("::detail"):
                self.read_scope(None, True, MIXINS)
            elif head.startswith("inline") and name != "literals":
                self.read_scope(None, public, keep)
            else:
                self.flush(comment, comment_line)
                self.emit("namespace " + name + " {", line)
                self.read_scope(None, public, keep)
                self.emit("}", self.line())
            return None
        if kind == "class":
            name = re.match(r"(?:class|struct|union)\s+(\w+)", self.without_template(self.clean(head)[0]))[1]
            mixin = keep is not None and name in keep
            self.at += 1
            if not (visible or mixin) or name.startswith("because_"):
                self.at -= 1
                self.skip_braces()
                self.trailing_comment()
                return None
            if mixin:
                comment = [
                    *(comment or ["/// " + keep[name]]),
                    "/// @note "
                    + keep[name].split(": ")[1].capitalize()
                    + " It is in `detail`: programs call its members, and do not name it.",
                ]
                comment_line = comment_line or line
            head, constraint = self.clean(head)
            self.flush(self.with_constraint(comment, constraint), comment_line or line)
            is_struct = self.without_template(head).startswith("struct")
            self.emit(self.bases(head) + (" {" if is_struct else " { public:"), line)
            friends = self.read_scope(name, is_struct)
            self.emit("};", self.line())
            for text, at in friends:
                self.emit(text, at)
            return name
        if kind == "enum":
            body = self.at
            self.skip_braces()
            if visible:
                self.flush(comment, comment_line)
                self.emit(self.clean(head)[0] + self.text[body : self.at] + ";", line)
            return None

        tail = self.trailing_comment()
        if not visible:
            return last
        return self.declare(head, owner, comment, comment_line, line, tail, last, after)

    @staticmethod
    def kind_of(head, owner):
        bare = Reader.without_attributes(re.sub(r"//[^\n]*|/\*.*?\*/", "", head, flags=re.S))
        bare = Reader.without_template(bare).strip()
        if re.match(r"(inline\s+)?namespace\b", bare):
            return "namespace"
        if re.match(r"enum\b", bare):
            return "enum"
        bare = Reader.cut_requires(bare)[0].strip()
        if re.match(r"(class|struct|union)\s+\w+\s*(<.*>)?\s*(final\s*)?(:.*)?$", bare, re.S):
            return "class"
        if re.match(r"concept\b", bare) or re.match(r"using\b", bare):
            return "other"
        before_assign = re.split(r"(?<![=!<>+\-*/|&^])=(?!=)", bare, maxsplit=1)
        if len(before_assign) == 2 and "(" not in before_assign[0].replace("operator()", ""):
            return "other"
        if "(" not in bare:
            return "other"
        # A constructor's initializers may use braces: they follow a name, a body does not.
        if re.search(r"\)\s*(noexcept\s*)?:\s", bare) and re.search(r"[\w>]\s*$", bare):
            return "other"
        return "function"

    @staticmethod
    def without_attributes(text):
        text = re.sub(r"\[\[(?:[^\[\]]|\[[^\[\]]*\])*?\]\]\s*", "", text)
        text = re.sub(r"__attribute__\s*\(\(.*?\)\)\s*", "", text)
        return re.sub(r"\bALLOGRAPH_DETAIL_\w+\s*", "", text)

    @staticmethod
    def template_end(text):
        """Where `template <...>` at the start of a text ends."""
        at = text.index("<")
        depth = 0
        parens = 0
        while True:
            c = text[at]
            parens += (c in "(") - (c in ")")
            if parens == 0:
                if c == "<":
                    depth += 1
                elif c == ">" and text[at - 1] not in "-=":
                    depth -= 1
                    if depth == 0:
                        return at + 1
            at += 1

    @staticmethod
    def without_template(text):
        text = text.strip()
        while re.match(r"template\s*<", text):
            text = text[Reader.template_end(text) :].strip()
        return text

    @staticmethod
    def cut_requires(text):
        """The text without its requires-clauses, and those."""
        clauses = []
        at = 0
        while True:
            match = re.compile(r"\brequires\b").search(text, at)
            if not match:
                return text, clauses
            i = match.end()
            while True:  # one primary, then && or ||
                while i < len(text) and text[i].isspace():
                    i += 1
                if i < len(text) and text[i] == "(":
                    i = Reader.matching(text, i)
                else:
                    if i < len(text) and text[i] == "!":
                        i += 1
                    name = re.compile(r"[\w:]+").match(text, i)
                    i = name.end() if name else i
                    if i < len(text) and text[i] == "<":
                        i += Reader.template_end(text[i:])
                    if i < len(text) and text[i] == "(":
                        i = Reader.matching(text, i)
                more = re.compile(r"\s*(&&|\|\|)").match(text, i)
                if not more:
                    break
                i = more.end()
            clauses.append(" ".join(text[match.end() : i].split()))
            text = text[: match.start()] + text[i:]
            at = match.start()

    @staticmethod
    def matching(text, at):
        depth = 0
        while True:
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
            if depth == 0:
                return at

    @staticmethod
    def clean(head):
        """A declaration as a reader wants it, and its constraint."""
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", head, flags=re.S)
        text = Reader.without_attributes(text)
        text = re.sub(r",?\s*const char\* file = __builtin_FILE\(\),\s*unsigned line = __builtin_LINE\(\)", "", text)
        if not re.search(r"\bconcept\b", text):
            text, clauses = Reader.cut_requires(text)
        else:
            clauses = []
        text = re.sub(r"const (?:detail::)?located<(.*?)>&", r"const \1&", text)
        text = re.sub(r"\b(?:model::)?detail::(program_record|no_option|\w+)", r"\1", text)
        text = " ".join(text.split())
        constraint = " && ".join(
            c[1:-1] if c.startswith("(") and Reader.matching(c, 0) == len(c) else c for c in clauses
        )
        return text, re.sub(r"\bdetail::", "", constraint)

    @staticmethod
    def bases(head):
        """Bases in `detail` are hidden, but for those that are shown."""
        match = re.match(r"(.*?\b(?:class|struct) \w+(?:<[^{]*>)?(?: final)?) : (.*)", head)
        if not match:
            return head
        parts, depth, current = [], 0, ""
        for c in match[2]:
            depth += (c in "<(") - (c in ">)")
            if c == "," and depth == 0:
                parts.append(current)
                current = ""
            else:
                current += c
        parts.append(current)
        shown = []
        for part in parts:
            part = part.strip()
            name = re.sub(r"^(public|private)\s+", "", part)
            if part.startswith("public") or " struct " in " " + match[1] + " ":
                shown.append("public " + name)
        return match[1] + (" : " + ", ".join(shown) if shown else "")

    @staticmethod
    def with_constraint(comment, constraint):
        if not constraint:
            return comment
        return list(comment) + ["/// @par Where", "/// <code>" + html.escape(constraint, quote=False) + "</code>"]

    def declare(self, head, owner, comment, comment_line, line, tail, last, after):
        text, constraint = self.clean(head)
        if re.search(r"=\s*delete\b", text) or text.startswith(("static_assert", "using namespace", "using builder")):
            return last
        friend = text.startswith("friend ")
        if friend:
            if "(" not in text:
                return last
            text = text[len("friend ") :]
        special = re.search(r"=\s*default$", text) or (
            owner
            and re.match(
                rf"(constexpr |inline |explicit )*(~{owner}\(|{owner}\(\s*(const )?{owner}\s*&|{owner}\(\s*{owner}\s*&&|{owner}\s*& operator=\(|void swap\()",
                text,
            )
        )
        if special and not comment and not tail:
            return last
        forward = re.match(r"(template <.*> )?(class|struct|enum class) \w+( : [\w:]+)?$", text)
        if forward:
            return last
        text = (
            re.sub(r"\s*:\s+(?!:)[\w:]+(<.*?>)?[({].*$", "", text)
            if owner and re.match(rf"(template\s*<.*>\s*)?(constexpr |explicit )*{owner}\(", text)
            else text
        )
        bare = self.without_template(text)
        name = self.name_of(bare)
        if owner is None and re.match(r"[^(]*\b\w+(<.*?>)?::~?\w+\(", bare) and re.match(r"[^(]*>::\w+\(", bare):
            return last  # a member's definition
        if name and name.startswith("because_"):
            return last
        if not comment and not tail and name and name == last:
            comment, comment_line = ["/// @same"], line
        block = self.with_constraint(comment, constraint) if comment else comment
        declared = text + ";" + tail
        if friend:
            after.append(("\n".join([tagged(each) for each in block] + [declared]), line))
            return name
        self.flush(block, comment_line)
        self.emit(declared, line)
        return name

    @staticmethod
    def name_of(bare):
        operator = re.search(r"\boperator\s*(\"\"\s*\w+|\(\)|[^\s(]+|\w+)\s*\(", bare)
        if operator:
            return "operator" + operator[1]
        match = re.search(r"(~?\w+)\s*\(", bare)
        if match:
            return match[1]
        match = re.search(r"\b(?:using|concept)\s+(\w+)", bare) or re.search(r"(\w+)\s*(?:\[.*?\])*\s*(?:=|\{|$)", bare)
        return match[1] if match else None


def c_header(text):
    """Comments of the C header become Doxygen's; its static inline functions stay as they are."""
    text = re.sub(r"^/\* ", "/** ", text, flags=re.M)
    text = re.sub(r"(;)[ \t]*/\* ", r"\1 /**< ", text)
    text = re.sub(r"^#ifndef RTLD_DEFAULT.*?^#endif\n", "", text, flags=re.M | re.S)
    # The table is how the functions below find the driver: its entries are those functions.
    text = re.sub(
        r"^    (\w+(?: \w+)*\*?) \(\*(\w+)\)(\(.*\));$",
        r"    \1 (*\2)\3; /**< `allograph_reference_\2` */",
        text,
        flags=re.M,
    )
    return text.replace("/** Controls of", "/** @file\n * Controls of", 1)


# ---- Markdown


def slug(title):
    """The anchor that GitHub gives a heading."""
    title = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower()
    return re.sub(r"\s", "-", re.sub(r"[^\w\- ]", "", title))


def page_of(path):
    """The label of a page's heading."""
    relative = path.resolve().relative_to(ROOT).with_suffix("")
    return "page_" + re.sub(r"\W", "_", str(relative)).lower()


def markdown(path):
    pages = {p.resolve() for p in pages_of_the_site()}
    here = page_of(path)
    out, fence, first = [], False, True

    def link(match):
        text, target = match[1], match[2]
        if re.match(r"[a-z]+:", target):
            return match[0]
        file, _, anchor = target.partition("#")
        to = (path.parent / file).resolve() if file else path.resolve()
        if to not in pages:
            return text if text.startswith("`") else f"{text} (`{to.relative_to(ROOT)}`)"
        label = page_of(to) + ("_" + anchor if anchor else "")
        return f'@ref {label} "{text.replace("`", "")}"'

    for line in path.read_text().splitlines():
        if line.startswith("```"):
            fence = not fence
            line = re.sub(r"^```(cpp|cuda).*", "```{.cpp}", line)
            line = re.sub(r"^```(cmake|sh|bash|text).*", "```{.unparsed}", line)
            line = "```{.unparsed}" if fence and line == "```" else line
            out.append(line)
            continue
        if fence:
            out.append(line)
            continue
        if re.match(r"<!--.*-->$", line):
            out.append("")
            continue
        heading = re.match(r"(#+) (.*)", line)
        if heading:
            label = here if first else here + "_" + slug(heading[2])
            first = False
            out.append(f"{heading[1]} {heading[2]} {{#{label}}}")
            continue
        line = re.sub(r"(?<!!)\[((?:[^\[\]]|\[[A-Z]\d+\])*)\]\(([^)\s]+)\)", link, line)
        line = linked_rules(line)
        if line.startswith("|"):  # cells that hold nothing but rules
            line = re.sub(
                r"(?<=\|) ((?:[A-Z]\d+(?:, | to )?)+) (?=\|)",
                lambda m: " " + re.sub(r"\b([A-Z]\d+)\b", rule_link, m[1]) + " ",
                line,
            )
        out.append(line)
    return "\n".join(out) + "\n"


def pages_of_the_site():
    docs = ROOT / "docs"
    return sorted((docs / "guide").glob("*.md")) + sorted(docs.glob("*.md"))


def main():
    path = pathlib.Path(sys.argv[1])
    if path.suffix == ".md":
        sys.stdout.write(markdown(path))
    elif path.suffix == ".h":
        sys.stdout.write(c_header(path.read_text()))
    else:
        reader = Reader(path.read_text())
        reader.read_scope()
        sys.stdout.write("".join(reader.out))


if __name__ == "__main__":
    main()
