"""Questions about a whole model: where its decisions depend on some features alone."""
