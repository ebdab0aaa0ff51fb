"""Figures of stored results, as PNG, PDF and SVG files; the same results give the same bytes.

`draw` draws every figure that fits the results of a run and writes the files:

===================== ======================================================================
`curves`              a metric against the number of constraints or over their tiers, with bands
`boxes`               box plots of the trials, where there is one number of constraints
`sensitivity`         a metric over one or two parameters, one of them numeric; ``select: none``
`scaling`             CPU seconds against the number of samples with fitted slopes
`critical_difference` mean ranks across five or more data sets, with Nemenyi's test
===================== ======================================================================

Each kind is a function that returns a ``matplotlib.figure.Figure``; `save` writes one.  Some kinds
need more than stored records, so a program calls them itself:

===================== ======================================================================
`links_map`           samples in the plane with clusters and constraints; see `project`
`gallery`             pictures by cluster
`samples`             data sets in the plane with their classes
===================== ======================================================================
"""

from cscluster.report.figures.boxes import boxes as boxes
from cscluster.report.figures.critical_difference import critical_difference as critical_difference
from cscluster.report.figures.curves import curves as curves
from cscluster.report.figures.draw import draw as draw
from cscluster.report.figures.gallery import gallery as gallery
from cscluster.report.figures.links_map import links_map as links_map
from cscluster.report.figures.links_map import project as project
from cscluster.report.figures.links_map import samples as samples
from cscluster.report.figures.save import save as save
from cscluster.report.figures.scaling import scaling as scaling
from cscluster.report.figures.sensitivity import sensitivity as sensitivity
