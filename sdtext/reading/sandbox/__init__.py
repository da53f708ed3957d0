"""Readers of dangerous formats in worker processes, within limits of time and memory."""
