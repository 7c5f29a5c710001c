"""The project as a whole: documents, examples, packaging, versions."""
