"""HTML reports: self-contained pages that ask nothing of the network."""
