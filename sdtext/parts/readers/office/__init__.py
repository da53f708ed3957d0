"""Readers of Office Open XML: DOCX, PPTX and XLSX."""
