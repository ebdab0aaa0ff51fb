"""Data sets: registry, loaders, recipes, preprocessing and generators."""

STEP_CLASSES = {
    "center": "Center",
    "standardize": "Standardize",
    "scale01": "Scale01",
    "l2": "L2",
    "dense": "Dense",
    "pca": "Pca",
    "kernel_pca": "KernelPca",
    "tfidf": "Tfidf",
}
"""Preprocessing steps: their names, and their classes in `preprocessing`, which imports numeric libraries."""
