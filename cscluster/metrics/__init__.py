"""Scores of a partition: what there is (`catalogue`, without numeric imports) and how it is computed."""
