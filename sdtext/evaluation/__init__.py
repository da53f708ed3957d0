"""Quality of detected passages, by the measures of PAN; calibration of dictionaries."""
