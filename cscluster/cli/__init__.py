"""The command line; each command is a thin file."""
