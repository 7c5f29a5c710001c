"""Words, pages and pictures."""
