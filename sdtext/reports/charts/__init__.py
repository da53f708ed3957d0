"""Charts as SVG, made without a browser; `base.css` gives them their colours."""
