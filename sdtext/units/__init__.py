"""Units: the stretches of a document that are looked at one by one."""
