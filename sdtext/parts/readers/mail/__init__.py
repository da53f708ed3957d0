"""Reader of mail messages."""
