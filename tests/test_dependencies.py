"""The package is layered: who may import whom, and what is light."""

import ast
import graphlib
import json
import re
import subprocess
import sys
from pathlib import Path

import typer

import cscluster
from cscluster.cli.commands import COMMANDS, app

ROOT = Path(cscluster.__file__).parent
COMMON = {
    "arrays",
    "atomic",
    "cells",
    "documents",
    "errors",
    "removed",
    "seeds",
    "bundle",
    "threads",
    "words",
}
MAY_IMPORT = {
    "arrays": set(),
    "atomic": set(),
    "cells": set(),
    "documents": set(),
    "errors": set(),
    "removed": set(),
    "seeds": set(),
    "bundle": set(),
    "threads": set(),
    "words": set(),
    "constraints": set(),
    "queries": {"constraints"},
    "linalg": {"constraints"},
    "metrics": {"constraints"},
    "data": set(),
    "store": set(),
    "algorithms": {"linalg", "constraints"},
    "selection": {"metrics", "constraints", "algorithms", "linalg"},
    "testing": {"constraints", "algorithms"},
    "tables": {"data", "selection", "metrics", "constraints", "algorithms"},
    "models": {"algorithms", "tables", "data"},
    "labelling": {"tables", "selection", "data", "constraints", "queries", "metrics", "algorithms"},
    "experiment": {"store", "data", "constraints", "queries", "metrics", "selection", "algorithms"},
    "report": {"store", "metrics", "constraints", "experiment"},
    "papers": {"experiment", "report", "store", "metrics", "algorithms", "data", "constraints"},
    "examples": {"IterSVR", "algorithms", "constraints", "metrics", "data", "report"},  # a user's programs
    "cli": {
        "algorithms",
        "constraints",
        "data",
        "experiment",
        "labelling",
        "metrics",
        "models",
        "papers",
        "report",
        "selection",
        "store",
        "tables",
        "testing",
    },
}
NUMERIC = {"numpy", "scipy", "pandas", "sklearn", "matplotlib", "numba", "joblib"}


def part_of(module):
    """Return the part of the package that a dotted name belongs to, or None for other packages."""
    names = module.split(".")
    return names[1] if names[0] == "cscluster" and len(names) > 1 else None


def imports(path, inside_functions=True):
    """Yield the dotted name of everything that a file imports, for types only too if inside functions."""
    package = ["cscluster", *path.relative_to(ROOT).parent.parts]
    nodes = [ast.parse(path.read_text(encoding="utf-8"))]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif inside_functions or not (
            isinstance(node, ast.FunctionDef)
            or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        ):
            nodes += ast.iter_child_nodes(node)


FILES = sorted(path for path in ROOT.rglob("*.py") if "_bundle" not in path.parts and path.parent != ROOT)
FILES += sorted(path for path in ROOT.glob("*.py") if path.name != "__init__.py")


def module_name(path):
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in [*FILES, ROOT / "__init__.py"]}


def test_every_part_has_a_rule():
    parts = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in FILES}
    assert parts == set(MAY_IMPORT)


def test_imports_point_in_one_direction():
    wrong = []
    for path in FILES:
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        allowed = MAY_IMPORT[own] | COMMON | {own, "__version__"}
        wrong += [
            f"{path.relative_to(ROOT)}: {name}"
            for name in imports(path)
            if (part_of(name) or own) not in allowed
        ]
    assert not wrong


def test_the_rules_have_no_circle():
    left = dict(MAY_IMPORT)
    while left:
        free = {part for part, below in left.items() if not below & set(left)}
        assert free
        left = {part: below for part, below in left.items() if part not in free}


def imported_modules(path, inside_functions=True):
    """Return the modules of the package that a file imports."""
    names = imports(path, inside_functions)
    return {name if name in MODULES else name.rpartition(".")[0] for name in names} & set(MODULES)


def test_no_modules_import_each_other():
    graph = {name: imported_modules(path, inside_functions=False) for name, path in MODULES.items()}
    graphlib.TopologicalSorter(graph).prepare()  # raises a CycleError that names the circle


def test_no_command_imports_another():
    layer = "cscluster.cli.commands"
    commands = {target.partition(":")[0] for *_, target in COMMANDS}
    assert {"cscluster.cli.run", "cscluster.cli.cluster", "cscluster.cli.report"} <= commands
    assert not imported_modules(MODULES[layer]) & commands
    wrong = {name: imported_modules(MODULES[name]) & {*commands, layer} for name in commands}
    assert not any(wrong.values()), wrong


def strings(node):
    """Yield the strings of a file, each f-string as a whole; documentation is left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.JoinedStr) or (
            isinstance(child, ast.Constant) and isinstance(child.value, str)
        ):
            yield ast.unparse(child)
        else:
            yield from strings(child)


def test_nothing_below_the_command_line_names_a_flag():
    """Who calls `cscluster.run` has typed none; a whole command that a message shows is another matter."""
    commands = {"experiment/engine/run.py", "experiment/engine/environment.py"}  # put together word by word
    wrong = []
    for path in FILES:
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(("cli/", "examples/")) and name not in commands:
            found = strings(ast.parse(path.read_text(encoding="utf-8")))
            flags = [text for text in found if re.search(r"(?<![\w-])--[a-z]", text)]
            wrong += [f"{name}: {text}" for text in flags if "cscluster " not in text]
    assert not wrong


def loaded_by(*calls):
    """Run the command line in one fresh interpreter, once for each call: arguments and environment.

    Returns what each call printed, and the packages that are loaded at the end.
    """
    program = """
import contextlib, io, json, os, sys
calls, printed = json.loads(sys.argv[1]), []
for arguments, environment in calls:
    sys.argv = ["cscluster", *arguments]
    os.environ.update(environment)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        from cscluster.cli.app import main
        main()
    printed.append(out.getvalue())
print(json.dumps([printed, sorted({name.partition(".")[0] for name in sys.modules})]))
"""
    command = [sys.executable, "-c", program, json.dumps(calls)]
    printed, loaded = json.loads(subprocess.check_output(command, text=True))
    return printed, set(loaded)


def test_help_loads_no_numeric_library():
    (out,), loaded = loaded_by((["--help"], {}))
    assert "Usage: cscluster" in out
    assert "cscluster" in loaded
    assert not loaded & {*NUMERIC, "pydantic"}


def test_help_of_the_commands_loads_no_numeric_library():
    known = typer.main.get_command(app).commands
    commands = [*known, *(f"{name} {sub}" for name in known for sub in getattr(known[name], "commands", ()))]
    printed, loaded = loaded_by(*(([*command.split(), "--help"], {}) for command in commands))
    for command, out in zip(commands, printed, strict=True):
        assert f"Usage: cscluster {command}" in out
        assert not re.search(r"<(str|path|list|int|float)|None", out), (
            out
        )  # names of types are for programmers
    assert not loaded & NUMERIC


def test_completion_loads_no_numeric_library():
    completed = {
        "re": "report",
        "run mnist": "mnist0689",
        "show kme": "kmeans",
        "show pendigit3": "pendigit389",
        "data info opt": "optdigits_3_8",
        "list al": "algorithms",
    }
    calls = []
    for line in completed:
        words = f"cscluster {line}"
        place = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
        calls.append(([], {"_CSCLUSTER_COMPLETE": "complete_bash", **place}))
    printed, loaded = loaded_by(*calls)
    for out, expected in zip(printed, completed.values(), strict=True):
        assert expected in out.split()
    assert not loaded & NUMERIC


def test_the_package_itself_loads_nothing():
    code = "import sys, cscluster, cscluster.algorithms.registry, cscluster.data.index; print(*sys.modules)"
    loaded = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert not loaded & {*NUMERIC, "pydantic", "typer", "rich"}
