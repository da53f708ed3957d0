"""The hot loops, on plain arrays and bytes."""
