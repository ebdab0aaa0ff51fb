"""Small programs that show what the package can do; run them with ``python -m``."""
