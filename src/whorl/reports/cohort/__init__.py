"""Pages and tables of a cohort."""
