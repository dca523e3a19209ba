"""File formats, by kind; `whorl.corpus.contract` lists them."""
