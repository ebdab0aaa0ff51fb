"""Asking a person which items belong together, and clustering with the answers at once."""
