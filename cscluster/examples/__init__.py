"""What `cscluster new` copies: an algorithm and an experiment."""
