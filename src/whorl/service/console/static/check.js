// Check page: accept dropped files, apply options immediately, and submit with Ctrl+Enter.
"use strict";
{
  const form = document.getElementById("check");
  const zone = form.querySelector("[data-drop]");
  const file = form.elements.file;
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, (event) => {
      if (![...event.dataTransfer.types].includes("Files")) return;
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) form.addEventListener(kind, () => zone.classList.remove("over"));
  form.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  file.addEventListener("change", () => file.files.length && form.requestSubmit());
  form.elements.text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  for (const one of form.elements) {
    if (!one.matches("[type=checkbox], select")) continue;
    one.addEventListener("change", () => {
      const part = one.closest("section, fieldset").querySelector("[id]");
      form.action = `${form.action.split("#")[0]}#${part.id}`;
      form.requestSubmit();
    });
  }
}
