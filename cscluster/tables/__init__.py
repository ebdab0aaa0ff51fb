"""A user's own table: its columns, the features made of them, and what came out of a clustering."""
