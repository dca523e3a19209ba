"""Cases: the copies of protected articles, from the first sighting to the settlement."""
