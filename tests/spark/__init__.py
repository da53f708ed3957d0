"""Jobs of Spark give what the local functions give."""
