"""Query strategies: which pair of samples to ask about next (active learning)."""
