// What a person would call broken on the page that is open: [[what, where], ...].
() => {
  const faults = [];
  const width = document.documentElement.clientWidth;
  const named = (element) => {
    const class_ = element.getAttribute("class");
    return element.tagName.toLowerCase() + (class_ ? "." + class_.trim().replace(/\s+/g, ".") : "");
  };
  const told = (text) => JSON.stringify(text.trim().slice(0, 40));
  const scrolls = (style) => /auto|scroll/.test(style.overflowX + style.overflowY);
  const cuts = (style) => /hidden|clip/.test(style.overflowX + style.overflowY);
  const isUnseen = (element) => !element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  // What only screen readers are told is a box of a pixel.
  const isAside = (element) => element.clientWidth <= 1 || element.clientHeight <= 1;

  const root = document.scrollingElement;
  if (root.scrollWidth > width) faults.push(["the page scrolls sideways", `${root.scrollWidth} > ${width}`]);

  for (const element of document.body.querySelectorAll("*")) {
    if (element instanceof SVGElement || isUnseen(element)) continue;
    const style = getComputedStyle(element);
    const isWide = element.scrollWidth > element.clientWidth + 1;
    if (cuts(style) && !isAside(element) && (isWide || element.scrollHeight > element.clientHeight + 1))
      faults.push(["is cut off", `${named(element)} ${told(element.textContent)}`]);
    if (scrolls(style) && isWide && matchMedia("print").matches)
      faults.push(["is cut off on paper", `${named(element)} ${told(element.textContent)}`]);
  }

  // The boxes of all lines of text that can be seen, without the room that fonts keep above and below their letters.
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const own = node.parentElement;
    if (!node.data.trim() || isUnseen(own) || own.closest("title, style, option")) continue;
    let [left, right, top, bottom] = [-Infinity, Infinity, -Infinity, Infinity];
    let isInside = false, isHeard = false;
    for (let outer = own; outer !== document.body; outer = outer.parentElement) {
      if (outer instanceof SVGElement) continue;
      const style = getComputedStyle(outer);
      if (!scrolls(style) && !cuts(style)) continue;
      if (isAside(outer)) isHeard = true;
      const box = outer.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      isInside = true;
    }
    if (isHeard) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const line of range.getClientRects()) {
      const room = line.height / 4;
      const box = {
        node, left: Math.max(line.left, left), right: Math.min(line.right, right),
        top: Math.max(line.top + room, top), bottom: Math.min(line.bottom - room, bottom),
      };
      if (box.right - box.left < 1 || box.bottom - box.top < 1) continue;
      // Nobody can scroll there: it is for screen readers, or comes when it has the focus.
      if (line.right <= 0) continue;
      if (!isInside && (box.left < -1 || box.right > width + 1))
        faults.push(["leaves the page", told(node.data)]);
      boxes.push(box);
    }
  }
  boxes.sort((one, other) => one.top - other.top);
  boxes.forEach((box, index) => {
    for (let next = index + 1; next < boxes.length && boxes[next].top < box.bottom - 1; next += 1) {
      const other = boxes[next];
      const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
      if (other.node !== box.node && across > 1)
        faults.push(["lie on each other", `${told(box.node.data)} and ${told(other.node.data)}`]);
    }
  });
  return faults.slice(0, 20);
}
