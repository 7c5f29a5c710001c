"""Tables on disk in, results on disk out, a part at a time."""
