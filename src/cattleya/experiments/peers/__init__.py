"""Other tools asked about the same rows, each in a process of its own."""
