"""HTTP API and web console for libraries. A thin layer over the tasks: it contains no matching rules.

A request passes `http` (accounting, limits of bodies, origin checks, authentication, rate limits) and then an endpoint
of `api` or a page of `console`, which calls one task or one method of a library in a thread. `app` assembles them.

**State** is one SQLite file in WAL mode next to the library: keys, users, sessions, jobs, stored responses and the
audit log. Worker processes, the command line and a backup need a common view, and a library should move by copying one
folder. It contains no article, so losing it loses none.

**Sessions** are random secrets in a cookie, stored as digests. Signing out, removing a user and changing a role end
them immediately; signed tokens would stay valid until they expire. Forms contain no CSRF token: browsers send the
origin of a request, the cookie is ``SameSite=Strict``, and a page cannot forge requests with a key. Pages thus contain
no secrets and can be saved and printed.

**Jobs** are rows that a worker process leases and renews (`jobs`). If it dies, another process starts the job again, up
to three times; every kind of job can be restarted. A separate queue would be another program to operate.
Jobs and slow requests are scheduled in turn over callers, in lanes per kind of work, so that a long evaluation does not
delay adding articles (`http.fair_queue`).

**Client.** The synchronous modules of `whorl.client` are generated from the asynchronous ones (``make client``). The
alternative, an event loop in a thread, hides the cause of an error in a long traceback.
"""
