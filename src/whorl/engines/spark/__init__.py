"""Deduplication on a cluster of Spark: the stages of a run, each as tasks that read and write one folder.

``OUT`` lies where the driver and all executors see it. A task reads some files into a segment, as the local engine;
Spark brings together the keys of all segments, and only these pass its shuffle; the driver divides the documents that
share keys into parts, and tasks decide these, reading texts where they lie, and write the kept rows. What a stage has
made stays in ``OUT/.whorl`` until the run is finished: if the driver is lost, the same job goes on behind it.
"""
