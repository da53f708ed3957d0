"""The registry of parts, recipes, and a folder for each kind of part."""
