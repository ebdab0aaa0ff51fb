"""Results as one HTML file that works offline: tables, interactive charts, statistics, provenance."""

from cscluster.report.html.page import page
from cscluster.report.html.scatter import clusters_page, index_page, scatter_page
from cscluster.report.html.sortable import PlainTable

__all__ = ["PlainTable", "clusters_page", "index_page", "page", "scatter_page"]
