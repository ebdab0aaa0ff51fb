"""Results as one HTML file that works offline: tables, interactive charts, statistics, provenance."""

from cscluster.report.html.page import page
from cscluster.report.html.scatter import PlainTable, clusters_page, scatter_page

__all__ = ["PlainTable", "clusters_page", "page", "scatter_page"]
