"""What users of other programs know: drop-ins without their defects, and steps of their pipelines and data sets."""
