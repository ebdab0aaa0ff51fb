"""Results as one HTML file that works offline: tables, interactive charts, statistics, provenance."""

from cscluster.report.html.blocks import page_file
from cscluster.report.html.page import page
from cscluster.report.html.scatter import scatter_page

__all__ = ["page", "page_file", "scatter_page"]
