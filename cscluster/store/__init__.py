"""Results on disk: append-only, one line for each finished trial."""
