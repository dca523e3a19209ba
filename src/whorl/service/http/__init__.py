"""HTTP around the API: authentication, limits, bodies, problems, idempotency and responses."""
