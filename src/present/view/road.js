"use strict";
// The road to the room: over MCP Apps' messages to the host, or over HTTP to the loopback
// page's own listener. Both call the same functions by the same names.

const room = (() => {
  const [token] = location.hash.slice(1).split("/");
  const listeners = { result: [], theme: [] };
  const tell = (kind, value) => listeners[kind].forEach((heard) => heard(value));

  // The page itself, opened in a browser.
  const loopback = {
    hosted: false,
    async begin() {
      const asked = matchMedia("(prefers-color-scheme: dark)");
      tell("theme", asked.matches ? "dark" : "light");
      asked.addEventListener("change", () => tell("theme", asked.matches ? "dark" : "light"));
      tell("result", await loopback.call("open", {}));
    },
    async call(name, args) {
      let answer;
      try {
        answer = await fetch("/call", {
          method: "POST",
          headers: { "content-type": "application/json", "x-dataroom-token": token },
          body: JSON.stringify({ name, arguments: args }),
        });
      } catch {
        throw new Error("The room is closed: its server has ended. Ask for the chart again.");
      }
      const said = await answer.json().catch(() => ({}));
      if (!answer.ok || said.error) throw new Error(said.error || `The room refused (${answer.status}).`);
      return said;
    },
    async save(name, type, parts) {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(parts, { type }));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    },
  };

  // Within a host that speaks MCP Apps.
  const waiting = new Map();
  let next = 1;
  let capabilities = {};
  const post = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) =>
    new Promise((resolve, reject) => {
      waiting.set(next, { resolve, reject });
      post({ id: next, method, params });
      next += 1;
    });
  const context = (given) => {
    if (given && given.theme) tell("theme", given.theme === "dark" ? "dark" : "light");
  };
  const heard = (message) => {
    if (message.id !== undefined && !message.method) {
      const waiter = waiting.get(message.id);
      waiting.delete(message.id);
      if (!waiter) return;
      if (message.error) waiter.reject(new Error(message.error.message || "The host refused."));
      else waiter.resolve(message.result);
      return;
    }
    const params = message.params || {};
    if (message.method === "ui/notifications/tool-result") {
      let result;
      try {
        result = said(params);
      } catch (error) {
        result = { error: error.message };
      }
      tell("result", result);
    }
    if (message.method === "ui/notifications/host-context-changed") context(params);
    else if (message.method === "ui/resource-teardown") post({ id: message.id, result: {} });
    else if (message.method === "ping") post({ id: message.id, result: {} });
  };
  // Hosts hand on either form of a result.
  const said = (result) => {
    if (result.isError) throw new Error(((result.content || [])[0] || {}).text || "Refused.");
    if (result.structuredContent) return result.structuredContent;
    const text = (result.content || []).find((part) => part.type === "text");
    return text ? JSON.parse(text.text) : {};
  };
  const app = {
    hosted: true,
    async begin() {
      addEventListener("message", (event) => {
        if (event.source === parent && event.data && event.data.jsonrpc === "2.0") heard(event.data);
      });
      const hello = await ask("ui/initialize", {
        appInfo: { name: "dataroom", version: "1" },
        appCapabilities: {},
        protocolVersion: "2026-01-26",
      });
      capabilities = (hello && hello.hostCapabilities) || {};
      context(hello && hello.hostContext);
      post({ method: "ui/notifications/initialized", params: {} });
      const tall = () => {
        const params = { width: document.documentElement.scrollWidth, height: 520 };
        post({ method: "ui/notifications/size-changed", params });
      };
      tall();
    },
    async call(name, args) {
      return said(await ask("tools/call", { name, arguments: args }));
    },
    async save(name, type, parts) {
      if (!capabilities.downloadFile) return loopback.save(name, type, parts);
      const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
      let text = "";
      for (let at = 0; at < bytes.length; at += 32768) {
        text += String.fromCharCode(...bytes.subarray(at, at + 32768));
      }
      const resource = { uri: `file:///${encodeURIComponent(name)}`, mimeType: type, blob: btoa(text) };
      await ask("ui/download-file", { contents: [{ type: "resource", resource }] });
    },
  };
  const road = parent === window ? loopback : app;
  // Fetches a file in portions.
  async function file(data, format, extra) {
    const parts = [];
    let answer;
    let offset = 0;
    do {
      answer = await road.call("save_file", { data, format, offset, ...extra });
      const text = atob(answer.base64);
      const bytes = new Uint8Array(text.length);
      for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
      parts.push(bytes);
      offset += bytes.length;
      if (answer.file) extra = { ...extra, file: answer.file };
    } while (offset < answer.bytes);
    return { name: answer.name, mime: answer.mime, parts };
  }
  return {
    hosted: road.hosted,
    file,
    on: (kind, heard) => listeners[kind].push(heard),
    begin: () => road.begin(),
    call: (name, args) => road.call(name, args),
    // Fetches a file and hands it to the person.
    async download(data, format, extra) {
      const { name, mime, parts } = await file(data, format, extra);
      await road.save(name, mime, parts);
    },
  };
})();
