"""Checks of what every algorithm promises, for those of the package and for a user's own."""
