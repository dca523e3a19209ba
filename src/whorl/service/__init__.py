"""HTTP API and web console for libraries. A thin layer over the tasks: it contains no matching rules."""
