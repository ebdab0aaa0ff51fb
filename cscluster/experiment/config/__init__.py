"""The experiment file: its models, how it is read and checked, and grids of parameters."""
