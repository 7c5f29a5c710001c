"""Which facts about a row are atoms: conditions, features or intervals."""
