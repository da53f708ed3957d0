"""Records: many texts in one file, each with an id and metadata; and metadata of other files."""
