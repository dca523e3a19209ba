// Move the threshold without a request: the values are in the table below the chart.
"use strict";

for (const form of document.querySelectorAll("form[data-slider]")) {
  const section = form.closest("section");
  const stops = [...section.querySelectorAll("tr[data-at]")];
  const slide = form.elements.at;
  const mark = (name) => section.querySelector(`[data-mark="${name}"]`);

  const show = () => {
    const away = (stop) => Math.abs(Number(stop.dataset.at) - Number(slide.value));
    const stop = stops.reduce((best, one) => (away(one) < away(best) ? one : best));
    const { x, recallY, precisionY } = stop.dataset;
    for (const cell of stop.querySelectorAll("[data-of]")) {
      for (const place of section.querySelectorAll(`[data-figure="${cell.dataset.of}"]`)) {
        place.textContent = cell.textContent;
      }
    }
    mark("x").setAttribute("x1", x);
    mark("x").setAttribute("x2", x);
    mark("recall").setAttribute("cx", x);
    mark("recall").setAttribute("cy", recallY);
    mark("precision").setAttribute("x", x - 4.5);
    mark("precision").setAttribute("y", precisionY - 4.5);
  };

  slide.addEventListener("input", show);
  form.elements.method?.addEventListener("change", () => form.requestSubmit());
  form.querySelector("button").hidden = true;
  show();
}
