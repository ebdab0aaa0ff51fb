"""For people with data and links: from a table to clusters, and a model for later data."""
