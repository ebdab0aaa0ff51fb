"""Mixtures of distributions, fitted by expectation maximisation under constraints."""
