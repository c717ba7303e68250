// Values of the curves under the pointer, read from the drawing itself.
(function () {
  const box = document.createElement("div");
  box.id = "reading";
  box.hidden = true;
  document.body.append(box);
  const shown = (value) => String(Number(value.toPrecision(4))).replace("-", "−");
  const at = (path, x) => {
    let low = 0, high = path.getTotalLength();
    for (let k = 0; k < 24; k++) {
      const middle = (low + high) / 2;
      if (path.getPointAtLength(middle).x < x) low = middle; else high = middle;
    }
    const point = path.getPointAtLength(low);
    return Math.abs(point.x - x) < 1.5 ? point.y : null;
  };
  const read = (event) => {
    const svg = event.target.closest(".panel svg");
    box.hidden = true;
    if (!svg) return;
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    for (const axes of svg.querySelectorAll("g.axes")) {
      const [xl, xh, x0, x1, yl, yh, y0, y1] = axes.dataset.scale.split(" ").map(Number);
      if (place.x < x0 || place.x > x1 || place.y > y0 || place.y < y1) continue;
      const lines = [];
      for (const path of axes.querySelectorAll("path[data-label]")) {
        const y = at(path, place.x);
        if (y !== null) lines.push(`${path.dataset.label}: ${shown(yl + ((yh - yl) * (y - y0)) / (y1 - y0))}`);
      }
      if (!lines.length) return;
      box.textContent = [`at ${shown(xl + ((xh - xl) * (place.x - x0)) / (x1 - x0))}`, ...lines].join("\n");
      box.style.left = `${Math.min(event.clientX + 14, innerWidth - 220)}px`;
      box.style.top = `${event.clientY + 14}px`;
      box.hidden = false;
    }
  };
  document.addEventListener("pointermove", read);
  document.addEventListener("pointerdown", read);
})();
