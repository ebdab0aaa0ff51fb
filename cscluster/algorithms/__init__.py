"""The algorithms, one file each; `registry` lists them."""
