"""From matching windows to passages: boxes, best runs, significance."""
