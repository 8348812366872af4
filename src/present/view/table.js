// A table: only the rows on the screen are there; the rest is asked for as it is needed.

function showTable(main, data, say, given) {
  const ROW = 26;
  const WINDOW = 200;
  // Browsers lay out no element of more pixels than some millions.
  const TALLEST = 8000000;
  const grid = make("div", "grid");
  grid.tabIndex = 0;
  grid.setAttribute("role", "grid");
  const head = make("div", "head");
  head.setAttribute("role", "row");
  head.setAttribute("aria-rowindex", "1");
  const space = make("div", "space");
  const rows = make("div", "rows");
  space.append(rows);
  grid.append(head, space);
  main.replaceChildren(grid);

  let columns = [];
  let widths = [];
  let total = 0;
  let all = 0;
  let sort = null;
  let descending = false;
  let filter = {};
  let windows = new Map();
  let state = 0;
  let here = { row: 0, column: 0 };

  const query = () => ({
    ...(sort === null ? {} : { sort, descending }),
    ...(Object.keys(filter).length ? { filter } : {}),
  });

  // The window that has a row, if it has come; else it is asked for.
  function window_(number) {
    const known = windows.get(number);
    if (known) return known.rows;
    const entry = { rows: null };
    windows.set(number, entry);
    const asked = state;
    entry.come = room
      .call("read_rows", { data, offset: number * WINDOW, limit: WINDOW, ...query() })
      .then((answer) => {
        if (asked === state) take(entry, answer);
      })
      .catch((error) => {
        if (asked !== state) return;
        windows.delete(number);
        say(error.message, true);
      });
    if (windows.size > 60) {
      const oldest = [...windows.keys()].find((at) => at !== number && at !== 0);
      windows.delete(oldest);
    }
    return null;
  }

  function take(entry, answer) {
    entry.rows = answer.rows;
    if (!columns.length) heads(answer);
    if (total !== answer.total || all !== answer.all) {
      total = answer.total;
      all = answer.all;
      size();
    }
    say(total === all ? count(all) : `${count(total)} of ${all.toLocaleString("en")}`);
    paint();
  }

  const count = (n) => `${n.toLocaleString("en")} ${n === 1 ? "row" : "rows"}`;

  function size() {
    space.style.height = `${Math.min(total * ROW, TALLEST)}px`;
    grid.setAttribute("aria-rowcount", String(total + 1));
  }

  function anew() {
    state += 1;
    windows = new Map();
    grid.scrollTop = 0;
    here.row = 0;
    say("…");
    window_(0);
  }

  function heads(answer) {
    columns = answer.columns;
    grid.setAttribute("aria-colcount", String(columns.length + 1));
    const pen = make("canvas").getContext("2d");
    const family = getComputedStyle(grid).fontFamily;
    const wide = (text) => pen.measureText(text).width;
    widths = columns.map((column, at) => {
      pen.font = `14px ${family}`;
      // Of equal length, some digits and letters are wider than others: those of a row that
      // was not looked at may be.
      const cells = answer.rows.slice(0, 100).map((row) => wide((row[at] || "").slice(0, 60)));
      pen.font = `600 14px ${family}`;
      const named = wide(`${column.name} ↓`.slice(0, 60));
      pen.font = `12px ${family}`;
      return Math.ceil(Math.min(360, Math.max(80, ...cells.map((cell) => cell * 1.1), named, wide(kind(column)))) + 18);
    });
    const corner = make("div", "column place", "#");
    corner.setAttribute("role", "columnheader");
    corner.title = "row";
    head.replaceChildren(corner, ...columns.map(columnHead));
    space.style.width = `${widths.reduce((sum, width) => sum + width, 72)}px`;
  }

  const kind = (column) => (column.unit ? `${column.type}, ${column.unit}` : column.type);

  function columnHead(column, at) {
    const cell = make("div", "column");
    cell.style.width = `${widths[at]}px`;
    cell.setAttribute("role", "columnheader");
    const name = make("button", "name", column.name);
    name.title = `Sort by ${column.name}`;
    name.addEventListener("click", () => {
      if (sort !== column.name) [sort, descending] = [column.name, false];
      else if (!descending) descending = true;
      else sort = null;
      for (const other of head.children) other.removeAttribute("aria-sort");
      head.querySelectorAll(".name").forEach((other, place) => {
        const arrow = descending ? " ↓" : " ↑";
        other.textContent = columns[place].name + (columns[place].name === sort ? arrow : "");
      });
      if (sort !== null) cell.setAttribute("aria-sort", descending ? "descending" : "ascending");
      anew();
    });
    const input = make("input");
    input.type = "search";
    input.placeholder = column.number ? "> 10" : "has …";
    input.setAttribute("aria-label", `Filter ${column.name}`);
    let waits;
    input.addEventListener("input", () => {
      clearTimeout(waits);
      waits = setTimeout(() => {
        const next = { ...filter };
        if (input.value.trim()) next[column.name] = input.value;
        else delete next[column.name];
        filter = next;
        anew();
      }, 250);
    });
    input.addEventListener("keydown", (event) => event.stopPropagation());
    cell.append(name, make("div", "type", kind(column)), input);
    return cell;
  }

  const shown = () => Math.ceil((grid.clientHeight - head.offsetHeight) / ROW);

  // The first row on the screen. Where the table is taller than an element can be, the
  // scroll bar stands for a part of it and not for pixels.
  function first() {
    if (total * ROW <= TALLEST) return Math.floor(grid.scrollTop / ROW);
    const most = TALLEST - grid.clientHeight + head.offsetHeight;
    return Math.floor((grid.scrollTop / Math.max(1, most)) * Math.max(0, total - shown() + 1));
  }

  function paint() {
    if (!columns.length) return;
    const from = Math.max(0, Math.min(first(), total - 1));
    const to = Math.min(total, from + shown() + 1);
    const painted = [];
    for (let at = from; at < to; at += 1) {
      const known = window_(Math.floor(at / WINDOW));
      painted.push(row(at, known ? known[at % WINDOW] : null));
    }
    rows.replaceChildren(...painted);
    const top = total * ROW <= TALLEST ? from * ROW : grid.scrollTop;
    rows.style.transform = `translateY(${top}px)`;
    grid.dataset.painted = String(from);
  }

  function row(at, cells) {
    const line = make("div", "row");
    line.setAttribute("role", "row");
    line.setAttribute("aria-rowindex", String(at + 2));
    const place = make("div", "cell place", (at + 1).toLocaleString("en"));
    place.setAttribute("role", "rowheader");
    line.append(place);
    columns.forEach((column, number) => {
      const value = cells ? cells[number] : undefined;
      const cell = make("div", "cell", value === null ? "none" : value === undefined ? "…" : value);
      cell.style.width = `${widths[number]}px`;
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-colindex", String(number + 2));
      if (column.number) cell.classList.add("number");
      if (value === null || value === undefined) cell.classList.add("none");
      if (at === here.row && number === here.column) {
        cell.classList.add("here");
        cell.id = "here";
      }
      cell.addEventListener("click", () => {
        here = { row: at, column: number };
        paint();
        grid.focus({ preventScroll: true });
      });
      line.append(cell);
    });
    return line;
  }

  function go(row, column) {
    here = {
      row: Math.max(0, Math.min(total - 1, row)),
      column: Math.max(0, Math.min(columns.length - 1, column)),
    };
    const from = first();
    const visible = shown() - 1;
    if (here.row < from || here.row >= from + visible) {
      const target = here.row < from ? here.row : here.row - visible + 1;
      const most = TALLEST - grid.clientHeight + head.offsetHeight;
      grid.scrollTop = total * ROW <= TALLEST
        ? target * ROW
        : (target / Math.max(1, total - shown() + 1)) * most + 1;
    }
    const left = widths.slice(0, here.column).reduce((sum, width) => sum + width, 72);
    if (left < grid.scrollLeft + 72) grid.scrollLeft = left - 72;
    if (left + widths[here.column] > grid.scrollLeft + grid.clientWidth) {
      grid.scrollLeft = left + widths[here.column] - grid.clientWidth;
    }
    paint();
    grid.setAttribute("aria-activedescendant", "here");
  }

  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid) return;
    const page = Math.max(1, shown() - 2);
    const far = event.ctrlKey || event.metaKey;
    const keys = {
      ArrowDown: () => go(far ? total - 1 : here.row + 1, here.column),
      ArrowUp: () => go(far ? 0 : here.row - 1, here.column),
      ArrowRight: () => go(here.row, far ? columns.length - 1 : here.column + 1),
      ArrowLeft: () => go(here.row, far ? 0 : here.column - 1),
      PageDown: () => go(here.row + page, here.column),
      PageUp: () => go(here.row - page, here.column),
      Home: () => go(far ? 0 : here.row, 0),
      End: () => go(far ? total - 1 : here.row, columns.length - 1),
    };
    if (far && event.key.toLowerCase() === "c") {
      const known = window_(Math.floor(here.row / WINDOW));
      if (known) copy(known[here.row % WINDOW][here.column] || "");
      return;
    }
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  let frame = 0;
  grid.addEventListener("scroll", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(paint);
  });
  const seen = new ResizeObserver(() => paint());
  seen.observe(grid);
  if (given) {
    const entry = {};
    windows.set(0, entry);
    take(entry, given);
  } else {
    window_(0);
  }

  return {
    theme() {},
    end: () => seen.disconnect(),
    // The rows from the top, at most a thousand, for a spreadsheet.
    async text() {
      const answer = await room.call("read_rows", { data, offset: 0, limit: 1000, ...query() });
      const clean = (value) => (value === null ? "" : value.replace(/[\t\r\n]+/g, " "));
      const lines = [answer.columns.map((column) => clean(column.name)), ...answer.rows.map((cells) => cells.map(clean))];
      return lines.map((cells) => cells.join("\t")).join("\n");
    },
  };
}
