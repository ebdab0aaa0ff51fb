"""A composed report as text: terminal, Markdown, LaTeX, CSV and JSON."""
