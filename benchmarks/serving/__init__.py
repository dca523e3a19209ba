"""The service under load: its processes, load clients, and the library without the service."""
