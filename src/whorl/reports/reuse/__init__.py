"""The page of a search for text reuse: clusters, heat map, network and pairs side by side."""
