"""Choices without labels: the held-out rule, and the parameters, method and number of clusters it chooses."""
