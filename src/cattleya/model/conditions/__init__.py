"""What can be said of a row: conditions, facts, and the words for them."""
