"""Numerical pieces that several algorithms share."""
