"""Charts, graphs, timelines and trees as data and SVG."""
