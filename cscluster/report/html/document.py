"""The shell of a page: one file that holds its styles, scripts and data and asks for nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Sequence
from importlib import resources
from string import Template
from typing import Any

from cscluster.report.html.markup import Markup, escape, tag

_CHARTS = "vendor/echarts/echarts.min.js"
_EVERYWHERE = ("assets/common.js", "assets/tables.js")


def document(title: str, body: Markup, data: Any = None, scripts: Sequence[str] = ()) -> str:
    """Return a whole page that works offline.

    The page's policy lets nothing be loaded and only its own scripts, named by their hashes, be run.

    Parameters
    ----------
    title : str
        Of the page.
    body : Markup
        What ``main`` holds.
    data : object
        What the scripts read, as JSON.
    scripts : sequence of str
        Names of files in ``assets`` beside those of all pages, in the order in which they run; they draw
        charts, and a page without them does without the library for that.
    """
    library = [_CHARTS] if scripts else []
    codes = [_read(name) for name in (*library, *_EVERYWHERE, *(f"assets/{name}" for name in scripts))]
    digests = (base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in codes)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    page = Template(_read("assets/page.html")).substitute(
        policy=escape(
            f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
            "base-uri 'none'; form-action 'none'"
        ),
        title=escape(f"{title} · cscluster"),
        style=f"{_read('base.css', 'cscluster')}\n{_read('assets/page.css')}",
        body=body,
        data=embedded_json(data or {}),
        scripts="\n".join(tag("script", Markup(code)) for code in codes),
    )
    return page.encode("utf-8", "replace").decode()


def embedded_json(value: Any) -> str:
    """Return JSON that cannot end the element that holds it; non-finite numbers become null."""
    packed = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return packed.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


def _read(name: str, package: str = "cscluster.report.html") -> str:
    return (resources.files(package) / name).read_text(encoding="utf-8").strip()
