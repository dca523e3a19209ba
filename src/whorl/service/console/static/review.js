// Keyboard shortcuts of the review page, the same as in the terminal.
"use strict";

for (const hint of document.querySelectorAll("kbd[hidden], [data-legend]")) {
  hint.hidden = false;
}

let isSent = false;
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", (event) => {
    if (isSent) {
      event.preventDefault();
    }
    isSent = true;
  });
}
addEventListener("pageshow", () => {
  isSent = false;
});

addEventListener("keydown", (event) => {
  const field = event.target.closest("input, select, textarea");
  if (field !== null) {
    if (event.key === "Escape") {
      field.blur();
    }
    return;
  }
  if (event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const named = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (named === null) {
    return;
  }
  event.preventDefault();
  if (named.matches("textarea")) {
    named.focus();
  } else {
    named.click();
  }
});
