"""Model files: a fitted method with all that clusters new rows."""
