"use strict";
// What all sheets do: texts shown as texts, answers kept in the browser, undo, export, keys.
const sheet = (() => {
  const at = (id) => document.getElementById(id);
  const data = JSON.parse(at("data").textContent);
  const hidden = new RegExp(data.hidden, "gu");

  const visible = (text) =>
    text.replace(/\r\n?/g, "\n").replace(hidden, (each) => `[U+${each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
  const show = (node, text) => {
    node.textContent = visible(text);
  };
  const make = (tag, kind, text = "") => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    made.textContent = visible(text);
    return made;
  };
  const say = (text) => show(at("said"), text);
  const warn = (text) => {
    show(at("problem"), text);
    at("problem").hidden = false;
  };

  // --- what the browser keeps: one item for each answer, so that no key press waits for all -------

  const name = (key) => `argue-eval/${data.sheet}/${key}`;
  let isKept = true;
  let numUnsaved = 0;
  const refused = () => {
    isKept = false;
    warn(
      "This browser keeps nothing for this page (is it a private window, or is the storage full?). " +
        "What you enter is lost when the page is closed: export before that.",
    );
  };
  const load = (key) => {
    try {
      return JSON.parse(localStorage.getItem(name(key)));
    } catch {
      return null;
    }
  };
  const SETTINGS = ["place", "single", "assessor", "seen", "at"];
  const save = (key, value) => {
    numUnsaved += !SETTINGS.includes(key);
    try {
      if (value === null) localStorage.removeItem(name(key));
      else localStorage.setItem(name(key), JSON.stringify(value));
    } catch {
      if (isKept) refused();
    }
  };
  const changed = (react) =>
    addEventListener("storage", (event) => {
      const start = name("");
      if (event.key && event.key.startsWith(start)) react(event.key.slice(start.length));
    });
  try {
    localStorage.setItem(name("test"), "1");
    localStorage.removeItem(name("test"));
  } catch {
    refused();
  }
  addEventListener("beforeunload", (event) => {
    if (!isKept && numUnsaved) event.preventDefault();
  });

  // --- who fills it in -----------------------------------------------------------------------------

  const field = at("assessor");
  field.value = data.assessor || load("assessor") || "";
  field.readOnly = Boolean(data.assessor);
  field.addEventListener("input", () => save("assessor", field.value));
  const assessor = () => field.value.replace(/\s/gu, " ").replace(/\p{C}/gu, "").trim();
  const judge = () => (assessor() ? `assessor:${assessor()}` : "assessor");

  // --- files ---------------------------------------------------------------------------------------

  const write = (lines) => {
    if (!assessor()) {
      field.focus();
      return say("Write your name first: whoever collects the exports has to tell people apart.");
    }
    const text = lines.map((each) => `${JSON.stringify(each)}\n`).join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    const who = assessor().replace(/[^\p{L}\p{N}._-]+/gu, "_") || "assessor";
    link.download = `${data.file}-${who}-${data.sheet.slice(0, 8)}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    numUnsaved = 0;
    return say(`Exported: ${link.download}`);
  };
  const read = (text) => {
    const found = text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
    if (!found.length || found.some((each) => each.sheet !== data.sheet)) throw new Error("another sheet");
    return found;
  };
  const loading = (react) => {
    at("load").addEventListener("click", () => at("file").click());
    at("file").addEventListener("change", async () => {
      const [file] = at("file").files;
      if (!file) return;
      try {
        react(read(await file.text()));
      } catch {
        warn(`${file.name} is no export of this sheet: nothing was changed.`);
      }
      at("file").value = "";
    });
  };

  // --- keys ----------------------------------------------------------------------------------------

  const isTyping = (node) => node.matches("input:not([type=checkbox]), textarea, select");
  const keys = (actions) => {
    const byKey = new Map(actions.flatMap(([names, , act]) => names.map((each) => [each, act])));
    for (const [names, text] of actions) {
      const term = make("dt");
      names.forEach((each) => term.append(make("kbd", "", each), " "));
      at("key-list").append(term, make("dd", "", text));
    }
    at("single").checked = load("single") !== false;
    at("single").addEventListener("change", () => save("single", at("single").checked));
    at("help").addEventListener("click", () => at("keys").showModal());
    at("close").addEventListener("click", () => at("keys").close());
    document.addEventListener("keydown", (event) => {
      if (at("keys").open || event.altKey || event.metaKey) return;
      if (isTyping(event.target)) {
        if (event.key === "Escape") event.target.blur();
        return;
      }
      const isUndo = event.ctrlKey && event.key === "z";
      if ((event.ctrlKey && !isUndo) || (!at("single").checked && !isUndo)) return;
      const act = byKey.get(isUndo ? "u" : event.key);
      if (act === undefined) return;
      event.preventDefault();
      act();
    });
  };
  const press = (id, act) => at(id).addEventListener("click", act);
  const progress = (done, total, text) => {
    at("progress").max = total;
    at("progress").value = done;
    show(at("count"), text);
  };
  const number = (value) => value.toLocaleString("en");

  return {
    at, data, show, make, say, warn, load, save, changed, assessor, judge, write, loading, keys, press, progress, number,
    visible,
  };
})();
