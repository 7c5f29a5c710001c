"""Bad and hostile input."""
