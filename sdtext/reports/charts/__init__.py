"""The layout of charts; the template `charts.html` draws them as SVG."""
