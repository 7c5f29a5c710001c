"""Random trees, load, extreme numbers, and what they once broke."""
