"""What a maintainer runs in a checkout; nothing of it is installed."""
