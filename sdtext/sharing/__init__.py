"""What lets organisations share files: signatures, keyed dictionaries, published test vectors."""
