"""A composed report as text: terminal, Markdown, LaTeX, CSV, JSON and a paragraph on methods."""

ENDINGS = {
    "terminal": ".txt",
    "markdown": ".md",
    "latex": ".tex",
    "csv": ".csv",
    "json": ".json",
    "html": ".html",
    "prose": ".txt",
}
"""The formats of a report, and their file endings."""
