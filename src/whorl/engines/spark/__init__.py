"""Deduplication on a cluster of Spark: the stages of a run, each as tasks that read and write one folder.

The driver and all executors must be able to read and write ``OUT``. A task reads files into a segment, as the local
engine does. Spark groups the keys of all segments; only keys pass through its shuffle. The driver divides the documents
that share keys into parts, and tasks decide these and write the kept rows, reading texts from the original files. The
results of a stage stay in ``OUT/.whorl`` until the run is finished, so that the same job can resume after the driver is
lost.
"""
