"""Files: how tables are read, and how anything is written whole or not at all."""
