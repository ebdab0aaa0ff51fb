"""Data sets: registry, loaders, recipes, preprocessing and generators."""

STEP_NAMES = ("center", "standardize", "scale01", "l2", "dense", "pca", "kernel_pca", "tfidf", "select_top")
"""Names of the preprocessing steps; `preprocessing` has what they do, and imports numeric libraries."""
