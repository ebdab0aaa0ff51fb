"""What the papers say, as data, and whether stored results agree."""
