"""A composed report as text: terminal, Markdown, LaTeX, CSV and JSON."""

ENDINGS = {
    "terminal": ".txt",
    "markdown": ".md",
    "latex": ".tex",
    "csv": ".csv",
    "json": ".json",
    "html": ".html",
}
"""The formats of a report, and their file endings."""
