// A chart: the picture that the room drew, and what a pointer and a keyboard do with it.

function showChart(main, data, theme, say) {
  const box = make("div", "chart");
  box.tabIndex = 0;
  box.setAttribute("role", "application");
  const tip = make("div", "tip");
  const spot = make("div", "spot");
  const pick = make("div", "pick");
  tip.hidden = spot.hidden = pick.hidden = true;
  main.replaceChildren(box);

  let drawing = null;
  let window_ = { x: null, y: null };
  let hidden = new Set();
  let busy = false;
  let again = false;

  // One drawing is asked for at a time; what happens meanwhile asks for the last state only.
  async function draw() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    const size = box.getBoundingClientRect();
    try {
      drawing = await room.call("draw_chart", {
        chart: data,
        width: Math.max(240, Math.round(size.width)),
        height: Math.max(160, Math.round(size.height)),
        theme,
        hidden: [...hidden],
        ...(window_.x ? { x: window_.x } : {}),
        ...(window_.y ? { y: window_.y } : {}),
      });
      paint();
      say("");
    } catch (error) {
      say(error.message, true);
    }
    busy = false;
    if (again) {
      again = false;
      draw();
    }
  }

  function paint() {
    const picture = new DOMParser().parseFromString(drawing.svg, "image/svg+xml").documentElement;
    if (picture.nodeName !== "svg") throw new Error("The room sent no picture.");
    box.setAttribute("aria-label", `${drawing.description} Plus and minus zoom, arrows move, 0 shows all.`);
    box.replaceChildren(document.importNode(picture, true), spot, pick, tip, ...drawing.legend.map(key));
    box.querySelector("svg").setAttribute("aria-hidden", "true");
    tip.hidden = spot.hidden = true;
    box.dataset.drawn = String(Number(box.dataset.drawn || 0) + 1);
  }

  function key(entry) {
    const button = make("button", "key");
    place(button, entry.area);
    button.setAttribute("aria-pressed", String(!entry.hidden));
    button.setAttribute("aria-label", `Show ${entry.name}`);
    button.addEventListener("click", () => {
      if (!hidden.delete(entry.series)) hidden.add(entry.series);
      draw();
    });
    return button;
  }

  function place(element, area) {
    element.style.left = `${area.x}px`;
    element.style.top = `${area.y}px`;
    element.style.width = `${area.width}px`;
    element.style.height = `${area.height}px`;
  }

  // The number under a pixel, on an axis that may be logarithmic.
  function at(span, part) {
    if (span.kind === "log") {
      const [from, to] = [Math.log(span.from), Math.log(span.to)];
      return Math.exp(from + (to - from) * part);
    }
    return span.from + (span.to - span.from) * part;
  }

  function range(span, from, to) {
    const ends = [at(span, from), at(span, to)];
    return ends[0] <= ends[1] ? ends : [ends[1], ends[0]];
  }

  function zoom(factor, across = 0.5, up = null) {
    if (!drawing || !drawing.x) return;
    const ends = (middle) => [middle - middle * factor, middle + (1 - middle) * factor];
    window_.x = range(drawing.x, ...ends(across));
    if (up !== null && drawing.y) window_.y = range(drawing.y, ...ends(up));
    draw();
  }

  function move(across, up = 0) {
    if (!drawing || !drawing.x) return;
    window_.x = range(drawing.x, across, 1 + across);
    if (up && drawing.y) window_.y = range(drawing.y, up, 1 + up);
    draw();
  }

  function all() {
    window_ = { x: null, y: null };
    draw();
  }

  function within(event) {
    const size = box.getBoundingClientRect();
    const [x, y] = [event.clientX - size.left, event.clientY - size.top];
    const frame = drawing.frame;
    return { x, y, across: (x - frame.x) / frame.width, up: 1 - (y - frame.y) / frame.height };
  }

  function nearest({ x, y }) {
    let best = null;
    let least = 24 * 24;
    for (const mark of drawing.marks) {
      const { area } = mark;
      const dx = Math.max(area.x - x, 0, x - area.x - area.width);
      const dy = Math.max(area.y - y, 0, y - area.y - area.height);
      const far = dx * dx + dy * dy;
      if (far < least) [best, least] = [mark, far];
    }
    return best;
  }

  function point(event) {
    const here = within(event);
    const mark = nearest(here);
    tip.hidden = spot.hidden = !mark;
    if (!mark) return;
    tip.replaceChildren(...mark.text.map((line) => make("div", "", line)));
    const area = { ...mark.area };
    const isPoint = area.width === 0 && area.height === 0;
    spot.classList.toggle("point", isPoint);
    if (isPoint) Object.assign(area, { x: area.x - 5, y: area.y - 5, width: 10, height: 10 });
    place(spot, area);
    const size = box.getBoundingClientRect();
    const left = Math.min(here.x + 14, size.width - tip.offsetWidth - 4);
    const top = here.y + 18 + tip.offsetHeight > size.height ? here.y - tip.offsetHeight - 10 : here.y + 18;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  }

  let from = null;
  box.addEventListener("pointerdown", (event) => {
    if (!drawing || event.button !== 0 || event.target.closest(".key")) return;
    const start = within(event);
    if (!drawing.x || start.across < 0 || start.across > 1) return;
    from = { ...start, moves: event.shiftKey };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (!drawing) return;
    if (!from) return point(event);
    const here = within(event);
    tip.hidden = spot.hidden = true;
    const picture = box.querySelector("svg");
    if (from.moves) {
      picture.style.transform = `translate(${here.x - from.x}px, 0)`;
      return;
    }
    pick.hidden = false;
    const { frame } = drawing;
    place(pick, {
      x: Math.max(frame.x, Math.min(from.x, here.x)),
      y: frame.y,
      width: Math.abs(here.x - from.x),
      height: frame.height,
    });
  });
  box.addEventListener("pointerup", (event) => {
    if (!from) return;
    const here = within(event);
    const start = from;
    from = null;
    pick.hidden = true;
    if (Math.abs(here.x - start.x) < 6) return;
    if (start.moves) return move(start.across - here.across);
    const clamp = (part) => Math.min(1, Math.max(0, part));
    window_.x = range(drawing.x, clamp(Math.min(start.across, here.across)), clamp(Math.max(start.across, here.across)));
    draw();
  });
  box.addEventListener("pointerleave", () => {
    tip.hidden = spot.hidden = true;
  });
  box.addEventListener("dblclick", all);
  box.addEventListener("wheel", (event) => {
    if (!drawing || !drawing.x) return;
    event.preventDefault();
    const here = within(event);
    const factor = Math.min(2, Math.max(0.5, Math.exp(event.deltaY * 0.002)));
    zoom(factor, Math.min(1, Math.max(0, here.across)));
  }, { passive: false });
  box.addEventListener("keydown", (event) => {
    const keys = {
      "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7), 0: all, Escape: all,
      ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2),
      ArrowUp: () => move(0, 0.2), ArrowDown: () => move(0, -0.2),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  const seen = new ResizeObserver(() => draw());
  seen.observe(box);

  return {
    theme(now) {
      theme = now;
      draw();
    },
    end: () => seen.disconnect(),
    // What can be pointed at, as a table for who does not point.
    said() {
      const table = make("table");
      const head = make("caption", "", drawing ? drawing.description : "");
      table.append(head);
      for (const mark of drawing ? drawing.marks.slice(0, 1000) : []) {
        const row = make("tr");
        mark.text.forEach((line, place) => row.append(make(place ? "td" : "th", "", line)));
        table.append(row);
      }
      return table;
    },
  };
}
