// What is shown, and the buttons above it. Text of the data is only ever text.

function make(name, style, text) {
  const element = document.createElement(name);
  if (style) element.className = style;
  if (text !== undefined) element.textContent = text;
  return element;
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = make("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

(() => {
  const [main, bar, about, actions] = ["main", "bar", "about", "actions"].map((id) => document.getElementById(id));
  let theme = "light";
  let shown = null;

  function say(text, bad) {
    about.textContent = text;
    about.classList.toggle("bad", Boolean(bad));
    about.style.color = bad ? "var(--bad)" : "";
    bar.hidden = false;
  }

  function refuse(error) {
    const message = make("p", "bad", error.message);
    message.id = "message";
    message.setAttribute("role", "alert");
    main.replaceChildren(message);
  }

  function button(text, does) {
    const made = make("button", "", text);
    made.addEventListener("click", async () => {
      made.disabled = true;
      try {
        await does(made);
      } catch (error) {
        say(error.message, true);
      }
      made.disabled = false;
    });
    return made;
  }

  function show(what) {
    if (what && what.error) return refuse(new Error(what.error));
    if (!what || !what.dataRef) return;
    const data = what.dataRef;
    if (shown) shown.end();
    shown = null;
    const title = what.title || what.shows || "";
    const heading = document.getElementById("title");
    heading.textContent = title;
    // A chart has its title in its picture.
    heading.classList.toggle("unseen", what.view === "chart");
    document.title = title || "dataroom";
    const saved = document.getElementById("saved");
    saved.hidden = !what.file;
    saved.textContent = what.file ? `Saved as ${what.file}` : "";
    bar.hidden = false;
    actions.replaceChildren();
    if (what.view === "file") return main.replaceChildren();
    if (what.view === "figure") {
      shown = showFigure(main, data, title, say);
      actions.append(button("File", () => room.download(data, "file")));
      return;
    }
    if (what.view === "table") {
      shown = showTable(main, data, say, what.first);
      actions.append(button("Copy", async () => copy(await shown.text())));
      for (const format of ["csv", "xlsx"]) {
        actions.append(button(format.toUpperCase(), () => room.download(data, format)));
      }
      return;
    }
    shown = showChart(main, data, theme, say);
    const numbers = button("Numbers", (made) => {
      const open = main.querySelector(".said");
      made.setAttribute("aria-pressed", String(!open));
      main.firstElementChild.hidden = !open;
      if (open) return open.remove();
      const said = make("div", "said");
      said.tabIndex = 0;
      said.append(shown.said());
      main.append(said);
      said.focus();
    });
    numbers.setAttribute("aria-pressed", "false");
    actions.append(numbers);
    for (const format of ["png", "svg"]) {
      actions.append(button(format.toUpperCase(), () => room.download(data, format, { theme })));
    }
  }

  room.on("theme", (now) => {
    theme = now;
    document.documentElement.dataset.theme = now;
    if (shown) shown.theme(now);
  });
  room.on("result", (what) => {
    try {
      show(what);
    } catch (error) {
      refuse(error);
    }
  });
  room.begin().catch(refuse);
})();
