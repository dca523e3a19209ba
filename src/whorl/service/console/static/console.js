// Progressive enhancement: every page works without scripts.
"use strict";

// Follow at most two running jobs: each occupies one of the six connections of a browser to a host.
let typed = false;
document.addEventListener("input", () => (typed = true));
for (const place of [...document.querySelectorAll("[data-job]")].slice(0, 2)) {
  const events = new EventSource(`/v1/jobs/${encodeURIComponent(place.dataset.job)}/events`);
  events.addEventListener("progress", ({ data }) => {
    const { done, total } = JSON.parse(data);
    const bar = place.querySelector("progress");
    const far = place.querySelector("[data-far]");
    if (total && bar && far) {
      Object.assign(bar, { max: total, value: done });
      far.textContent = `${done.toLocaleString(document.documentElement.lang)} / ${total.toLocaleString(document.documentElement.lang)}`;
    }
  });
  events.addEventListener("end", () => {
    events.close();
    if (!typed) location.reload();
  });
}
