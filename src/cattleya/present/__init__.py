"""Shows what was found, in words, pages, pictures and JSON; computes nothing."""
