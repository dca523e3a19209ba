"""The service: an HTTP API and a console over libraries. A skin over the tasks: no rule of judgement lives here."""
