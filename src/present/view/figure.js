// A figure that a script left: a picture, or a page with scripts of its own (plotly's), which
// is shown apart, in a frame that has no origin, reaches nothing and sees nothing of this page.

function showFigure(main, data, title, say) {
  const holder = make("div", "figure");
  main.replaceChildren(holder);
  const put = (element) => {
    holder.replaceChildren(element);
    holder.dataset.drawn = "1";
  };

  // Hosts let a view load no images, not even from its own bytes: pixels are painted.
  async function painted(file) {
    const pixels = await createImageBitmap(new Blob(file.parts, { type: file.mime }));
    const canvas = make("canvas");
    canvas.width = pixels.width;
    canvas.height = pixels.height;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", title);
    canvas.getContext("2d").drawImage(pixels, 0, 0);
    put(canvas);
  }

  // A drawing, which a browser takes for an image: without its scripts.
  async function image(file) {
    const made_ = make("img");
    made_.alt = title;
    made_.src = await new Promise((resolve) => {
      const reader = new FileReader();
      reader.addEventListener("load", () => resolve(reader.result));
      reader.readAsDataURL(new Blob(file.parts, { type: file.mime }));
    });
    await made_.decode();
    put(made_);
  }

  async function page(file, scripts) {
    const text = await new Blob(file.parts).text();
    const frame = make("iframe");
    frame.title = title;
    frame.setAttribute("sandbox", scripts);
    if (room.hosted) {
      frame.srcdoc = text;
    } else {
      // The frame comes empty from the listener, with a policy of its own, and waits for this.
      addEventListener("message", (event) => {
        if (event.source === frame.contentWindow && event.data === "ready") {
          frame.contentWindow.postMessage(text, "*");
        }
      });
      frame.src = "/frame";
    }
    put(frame);
  }

  function show(file) {
    if (file.mime === "text/html") return page(file, "allow-scripts");
    if (file.mime !== "image/svg+xml") return painted(file);
    return room.hosted ? page(file, "") : image(file);
  }

  room
    .file(data, "file")
    .then(show)
    .catch((error) => say(error.message || "The figure cannot be read.", true));

  return { theme() {}, end() {} };
}
