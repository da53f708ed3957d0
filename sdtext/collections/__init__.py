"""Collections on disk: columns of many documents, and the catalog that lists them."""
