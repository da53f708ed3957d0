"""The catalogue of parts, recipes made of them, and a folder for each kind of part."""
