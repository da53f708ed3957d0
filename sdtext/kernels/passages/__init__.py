"""Kernels for passages: merged boxes, best runs, terms in common."""
