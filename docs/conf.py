"""How Sphinx builds this site: `make docs` writes it to docs/_build/html, where it needs no server."""

import sys
from pathlib import Path

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from nbclient import NotebookClient

import cscluster

sys.path.insert(0, str(Path(__file__).parent))
import generate
import speed

project = "cscluster"
author = "the cscluster developers"
version = release = cscluster.__version__

extensions = ["myst_nb", "sphinx_design", "sphinx_copybutton"]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_execution_timeout = 300
NotebookClient.startup_timeout.default_value = 300  # a busy machine takes long to start Python
suppress_warnings = ["mystnb.mime_priority"]

PAPERS = [f"reproduction/{path.stem}" for path in Path(__file__).parent.glob("reproduction/*.md")]
"""Pages with claims, which need the whole width to stand in one line each."""

html_theme = "pydata_sphinx_theme"
smartquotes = False  # --option is no dash
html_title = f"cscluster {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": True,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_version_warning_banner": False,
    "secondary_sidebar_items": {"**": ["page-toc"], **{page: [] for page in PAPERS}},
}
html_sidebars = {page: [] for page in ("index", "architecture", "performance", "search")}
html_math_renderer = "mathml"
copyright = author
linkcheck_ignore = [r"https?://.*"]  # the build needs no network: links inside the site are checked


def _inline(self, node):
    self.body.append(convert(node.astext()))
    raise SkipNode


def _block(self, node):
    self.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def setup(app):
    """Write the generated pages, and draw formulas as MathML, which browsers show without a script."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("builder-inited", lambda app: generate.write(Path(app.srcdir)))
    app.connect("builder-inited", lambda app: generate.write_examples(Path(app.srcdir)))
    app.connect("builder-inited", lambda app: speed.draw(Path(app.srcdir)))
