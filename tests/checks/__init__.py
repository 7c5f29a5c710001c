"""What many tests compare: an explanation, a command, a page."""
