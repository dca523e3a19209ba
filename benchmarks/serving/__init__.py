"""The service as a platform asks it: its processes, clients that load it, and the library without it."""
