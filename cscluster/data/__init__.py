"""Data sets: registry, loaders, recipes, preprocessing and generators."""
