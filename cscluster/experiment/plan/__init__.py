"""From an experiment to the trials it consists of, each with its key, and to shards of them."""
