"""The client: whatever the service can do, from Python, waiting or not."""
