"""Find the items of benchmarks in a corpus, and tag, cut or drop the documents that contain them."""
