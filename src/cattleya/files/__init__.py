"""Files: models, tables, and how anything is written."""
