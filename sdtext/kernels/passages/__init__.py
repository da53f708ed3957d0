"""Kernels for passages: merged boxes, best runs, likelihood weights."""
