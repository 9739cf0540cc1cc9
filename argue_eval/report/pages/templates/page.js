"use strict";
(() => {
  const one = (what, at = document) => at.querySelector(what);
  const all = (what, at = document) => [...at.querySelectorAll(what)];
  const make = (tag, kind = "", text = null) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== null) made.textContent = text;
    return made;
  };
  const isSite = document.body.dataset.site === "yes";
  const pages = all("main > .page");
  const title = document.title;
  const known = new Map();

  // --- tables -----------------------------------------------------------------------------------

  const keyOf = (row, column, isText) => {
    const cell = row.children[column];
    return isText ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.v);
  };
  for (const table of all("table.sortable")) {
    for (const head of all("th[data-sort]", table)) {
      const button = make("button", "", head.textContent.trim());
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const first = head.dataset.sort === "down" ? "descending" : "ascending";
        const other = first === "descending" ? "ascending" : "descending";
        const way = head.getAttribute("aria-sort") === first ? other : first;
        all("th", table).forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", way);
        const column = [...head.parentNode.children].indexOf(head);
        const sign = way === "ascending" ? 1 : -1;
        const isText = head.dataset.sort === "text";
        const compare = new Intl.Collator("en", { numeric: true }).compare;
        const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column, isText), row]);
        rows.sort(([a], [b]) => sign * (isText ? compare(a, b) : a - b));
        table.tBodies[0].append(...rows.map(([, row]) => row));
      });
    }
  }

  // --- the track --------------------------------------------------------------------------------

  const written = (value) => {
    if (value === null) return "-";
    return Number.isInteger(value) && Math.abs(value) > 1 ? value.toLocaleString("en") : value.toFixed(3);
  };
  for (const page of all(".page.track")) {
    const data = JSON.parse(one("script", page).textContent);
    const select = one("select.measure", page);
    select.addEventListener("change", () => {
      for (const each of all(".board [data-m]", page)) {
        const isMain = !each.classList.contains("other");
        each.hidden = (each.dataset.m === select.value) !== isMain;
      }
      const name = select.selectedOptions[0].textContent;
      one(".of-measure", page).textContent = name;
      const [low, high] = data.ends[name];
      all(".heat tbody tr", page).forEach((row, run) =>
        all("td", row).forEach((cell, topic) => {
          const value = data.values[name][run][topic];
          const share = (value - low) / (high - low || 1);
          cell.className = value === null ? "qx" : `q${Math.min(9, Math.max(0, Math.floor(share * 10)))}`;
          cell.firstElementChild.textContent = written(value);
        }),
      );
      one(`.board thead th.main[data-m="${select.value}"] button`, page).click();
    });
  }

  // --- a topic ----------------------------------------------------------------------------------

  const STATUS = { y: "● answered", p: "◐ in part", n: "○ missed", u: "? unjudged", "-": "-" };
  const VERDICTS = { yes: "✓ supports it", no: "✗ does not support it", partial: "◐ supports it in part", contradicts: "⊘ contradicts it" };
  const SHAPES = { reward: "● rewarded", ignore: "○ ignored", penalise: "▲ penalised" };

  class Reader {
    constructor(page) {
      this.page = page;
      this.reports = new Map(all(".report", page).map((each) => [each.dataset.run, each]));
      this.names = [...this.reports.keys()];
      this.picks = Object.fromEntries(all("select.pick", page).map((each) => [each.dataset.side, each]));
      this.why = one(".why", page);
      if (!this.why) return;
      this.data = JSON.parse(one("script", page).textContent);
      for (const pick of Object.values(this.picks)) {
        pick.addEventListener("change", () => this.go(this.picks.a.value, null));
      }
      all(".filter input", page).forEach((each) => each.addEventListener("change", () => this.filter()));
      one(".reports", page).addEventListener("click", (event) => this.clicked(event));
      one(".reports", page).addEventListener("keydown", (event) => this.pressed(event));
      one(".close", this.why).addEventListener("click", () => this.close());
      this.why.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
      this.show("", null, "");
    }

    go(run, index) {
      const beside = this.picks.b && this.picks.b.value ? `~${this.picks.b.value}` : "";
      const place = `${run}${index === null ? "" : `/${index}`}${beside}`;
      history.pushState(null, "", isSite ? `#${place}` : `#${this.page.id}/${place}`);
      route(false);
    }

    show(run, index, beside) {
      if (!this.why) return null;
      run = this.reports.has(run) ? run : this.names[0];
      const isBeside = beside !== run && this.reports.has(beside);
      this.picks.a.value = run;
      if (this.picks.b) this.picks.b.value = isBeside ? beside : "";
      for (const [name, report] of this.reports) report.hidden = name !== run && !(isBeside && name === beside);
      one(".reports", this.page).classList.toggle("two", isBeside);
      one(".reader", this.page).classList.toggle("beside", isBeside);
      if (isBeside) this.reports.get(run).after(this.reports.get(beside));
      this.nuggets(run, isBeside ? beside : "");
      this.filter();
      all(".s.on", this.page).forEach((each) => each.classList.remove("on"));
      const sentence = index === null ? null : one(`.s[data-i="${CSS.escape(index)}"]`, this.reports.get(run));
      if (!sentence) return this.reports.get(run);
      sentence.hidden = false;
      sentence.classList.add("on");
      this.explain(run, Number(index));
      return sentence;
    }

    close() {
      this.why.classList.remove("chosen");
      const sentence = one(".s.on .badge", this.page);
      if (sentence) sentence.focus();
    }

    clicked(event) {
      const sentence = event.target.closest(".s");
      if (!sentence || event.target.closest("a, details")) return;
      const run = sentence.closest(".report").dataset.run;
      this.pick(run, sentence.dataset.i);
      const chip = event.target.closest(".chip");
      const card = chip && chip.dataset.c && all(".doc-card", this.why)[Number(chip.dataset.c)];
      if (card) {
        card.classList.add("on");
        card.scrollIntoView({ block: "nearest" });
      }
    }

    pick(run, index) {
      const other = this.picks.b && this.picks.b.value;
      if (other && run === other) {
        all(".s.on", this.page).forEach((each) => each.classList.remove("on"));
        one(`.s[data-i="${index}"]`, this.reports.get(run)).classList.add("on");
        this.explain(run, Number(index));
      } else this.go(run, index);
    }

    pressed(event) {
      const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
      const sentence = event.target.closest(".s");
      if (!step || !sentence || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const shown = all(".s:not([hidden])", sentence.closest(".report"));
      const next = shown[shown.indexOf(sentence) + step];
      if (!next) return;
      this.pick(next.closest(".report").dataset.run, next.dataset.i);
      one(".badge", next).focus();
    }

    filter() {
      const boxes = all(".filter input", this.page);
      if (!boxes.length) return;
      const kept = new Set(boxes.filter((each) => each.checked).map((each) => each.value));
      const asked = new Set(boxes.map((each) => each.value));
      for (const each of all(".s", this.page)) {
        each.hidden = asked.has(each.dataset.e) && !kept.has(each.dataset.e);
      }
    }

    nuggets(left, right) {
      if (this.shown === `${left}~${right}`) return;
      this.shown = `${left}~${right}`;
      for (const [side, name] of [["a", left], ["b", right]]) {
        const data = this.data.runs[this.names.indexOf(name)];
        const cells = all(`.answers .side-${side}`, this.page);
        cells.forEach((cell) => (cell.hidden = !data));
        if (!data || !cells.length) continue;
        one("bdi", cells[0]).textContent = data.id;
        for (const cell of cells.slice(1)) {
          const number = Number(cell.parentNode.dataset.n);
          cell.replaceChildren(make("span", { "-": "m" }[data.n[number]] || data.n[number], STATUS[data.n[number]]));
          if (data.t[number]) cell.append(" ", make("small", "", data.t[number]));
          for (const index of new Set((data.w[number] || []).slice(0, 20).map((pair) => pair[0]))) {
            const link = make("a", "", `sentence ${index + 1}`);
            link.href = isSite ? `#${name}/${index}` : `#${this.page.id}/${name}/${index}`;
            cell.append(" ", link);
          }
        }
      }
    }

    explain(run, index) {
      const data = this.data.runs[this.names.indexOf(run)];
      const unit = data.s[index];
      const about = [make("h2", "", `Sentence ${index + 1}`)];
      about[0].append(make("small", "", ` of ${data.id}`));
      about.push(make("p", `verdict pill ${{ reward: "yes", penalise: "no", unjudged: "open" }[unit.e] || ""}`, this.ending(unit)));
      for (const [nugget, answer] of (unit.k || []).slice(0, 30)) {
        const row = one(`.answers tr[data-n="${nugget}"] th span`, this.page);
        const line = make("p", "note", unit.h ? "Covers: " : "Credited: ");
        const text = make("span", "", `${row ? row.textContent : ""} ${answer}`);
        text.dir = "auto";
        line.append(text);
        about.push(line);
      }
      one(".what", this.why).replaceChildren(...about);
      this.light(unit);
      const rests = unit.c.map((each) => this.document(each, Boolean(unit.q)));
      if (!unit.c.length) rests.push(make("p", "note", "It cites nothing."));
      if (unit.q && unit.q.length) rests.push(this.steps(unit.q));
      one(".rests", this.why).replaceChildren(...rests);
      this.why.classList.add("chosen");
      this.why.scrollTop = 0;
    }

    ending(unit) {
      if (unit.h) return `The sentence ${unit.h}.`;
      if (unit.o) return `${SHAPES[unit.e] || unit.e}, outcome ${unit.o}: ${this.data.outcomes[unit.o][1]}`;
      if (unit.e === "unjudged") return `? unjudged: outcome ${unit.p.join(" or ")} is possible`;
      return unit.e === "by citation" ? "◐ counted citation by citation" : "No measure asked where it ends.";
    }

    light(unit) {
      const ways = new Set(unit.l || []);
      const ends = new Set(unit.o ? [String(unit.o)] : []);
      const boxes = new Set([...ways].map((each) => each.split(":")[0]));
      for (const each of all(".chart .way", this.why)) each.classList.toggle("on", ways.has(each.dataset.way));
      for (const each of all(".chart [data-box]", this.why)) {
        each.classList.toggle("on", boxes.has(each.dataset.box) || ends.has(each.dataset.box));
        each.classList.toggle("open", unit.e === "unjudged" && (unit.p || []).map(String).includes(each.dataset.box));
      }
    }

    document([number, outcome, verdict, prob, judge, rationale, start, end, isNamed], isAsked) {
      const found = this.data.docs[number];
      const card = make("section", "doc-card");
      const head = make("h4");
      head.append(make("bdi", "", found.i));
      if (found.t) head.append(" ", make("small", "", found.t));
      card.append(head);
      const line = make("div");
      if (verdict || isAsked) line.append(make("span", `pill ${verdict || "open"}`, VERDICTS[verdict] || "? support not judged"));
      if (prob !== null) line.append(` probability of yes ${prob.toFixed(2)}`);
      if (judge) line.append(" ", make("small", "", judge));
      if (outcome) line.append(make("small", "", ` · outcome ${outcome}`));
      card.append(line);
      if (!found.x) {
        card.append(make("p", "note", rationale || "The text of the document is not at hand."));
        return card;
      }
      if (rationale && !isNamed) card.append(make("p", "note", `The judge: ${rationale}`));
      const text = make("p", "passage");
      text.dir = "auto";
      text.tabIndex = 0;
      if (end) {
        text.append(found.x.slice(0, start), make("mark", "", found.x.slice(start, end)), found.x.slice(end));
        const what = isNamed ? "Marked: the passage that the judge names." : "Marked: the passage that shares most with the sentence; the judge names none.";
        card.append(make("p", "note", what));
      } else text.append(found.x);
      card.append(text);
      if (found.n) card.append(make("p", "note", `From a document of ${found.n.toLocaleString("en")} characters.`));
      requestAnimationFrame(() => {
        const mark = one("mark", text);
        if (mark) text.scrollTop = Math.max(0, mark.offsetTop - text.offsetTop - 40);
      });
      return card;
    }

    steps(steps) {
      const box = make("details");
      box.open = true;
      box.append(make("summary", "", "Its way through the flowchart"));
      const list = make("ol");
      for (const [question, answer, judge, evidence] of steps.slice(0, 200)) {
        const item = make("li");
        item.append(make("span", "", question), " ", make("b", "", answer));
        if (judge || evidence) item.append(make("br"), make("small", "", [judge, evidence].filter(Boolean).join(", ")));
        list.append(item);
      }
      if (steps.length > 200) list.append(make("li", "", `${(steps.length - 200).toLocaleString("en")} more`));
      box.append(list);
      return box;
    }
  }

  // --- search -----------------------------------------------------------------------------------

  const input = one("#search");
  const found = one("#found");
  const hits = function* (wanted) {
    const seen = new Set();
    for (const link of all("nav a[data-page]")) {
      if (link.textContent.toLowerCase().includes(wanted) && !seen.has(link.href)) {
        seen.add(link.href);
        yield [link.getAttribute("href"), link.textContent.trim(), "page"];
      }
    }
    for (const each of all(".s")) {
      if (!each.id || !each.textContent.toLowerCase().includes(wanted)) continue;
      const text = each.textContent.replace(/\s+/g, " ").trim().slice(0, 160);
      yield [`#${each.id}`, text, `sentence of ${one("h2", each.closest(".report")).textContent}`];
    }
    for (const each of all(".answers tbody tr")) {
      const head = one("th", each);
      if (!head || !head.textContent.toLowerCase().includes(wanted)) continue;
      const page = each.closest(".page");
      yield [isSite ? "#" : `#${page.id}`, head.textContent.replace(/\s+/g, " ").trim().slice(0, 160), `nugget, ${page.dataset.title}`];
    }
  };
  const search = () => {
    const wanted = input.value.trim().toLowerCase();
    found.hidden = wanted.length < 2;
    if (found.hidden) return;
    const shown = [];
    let number = 0;
    for (const [href, text, what] of hits(wanted)) {
      number += 1;
      if (number > 40) break;
      const link = make("a");
      link.href = href;
      link.append(make("bdi", "", text), make("small", "", what));
      shown.push(link);
    }
    const end = number > 40 ? "The first 40 are shown." : number ? "" : isSite ? "Nothing found on this page." : "Nothing found.";
    if (end) shown.push(make("p", "", end));
    found.replaceChildren(...shown);
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && !found.hidden && one("a", found)) {
      event.preventDefault();
      one("a", found).focus();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    found.hidden = true;
    all(".menu[open]").forEach((each) => each.removeAttribute("open"));
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search") || event.target.closest("#found a")) found.hidden = true;
    for (const menu of all(".menu[open]")) {
      if (!menu.contains(event.target) || event.target.closest("a")) menu.removeAttribute("open");
    }
  });

  // --- which page -------------------------------------------------------------------------------

  const reader = (page) => {
    if (!known.has(page)) known.set(page, new Reader(page));
    return known.get(page);
  };
  const route = (isMoving) => {
    let place = location.hash.slice(1);
    try {
      place = decodeURIComponent(place);
    } catch {
      place = "";
    }
    const cut = place.indexOf("/");
    const name = isSite ? "" : cut < 0 ? place : place.slice(0, cut);
    const rest = isSite ? place : cut < 0 ? "" : place.slice(cut + 1);
    const page = isSite ? pages[0] : pages.find((each) => each.id === name) || (place === "main" ? null : pages[0]);
    if (!page) return;
    pages.forEach((each) => (each.hidden = each !== page));
    document.title = page.dataset.title === title ? title : `${page.dataset.title} · ${title}`;
    for (const link of all("nav a[data-page]")) {
      if (link.dataset.page === page.id) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    let target = null;
    if (page.classList.contains("topic")) {
      const [, run, index, beside] = /^([^/~]*)(?:\/(\d+))?(?:~(.*))?$/.exec(rest) || [];
      target = reader(page).show(run || "", index === undefined ? null : index, beside || "");
      if (index === undefined) target = null;
    }
    if (!isMoving) return;
    if (document.readyState === "complete") {
      const reached = target ? one(".badge", target) : one("h1", page);
      reached.tabIndex = target ? 0 : -1;
      reached.focus({ preventScroll: true });
    }
    const move = () => {
      if (!target) return scrollTo(0, 0);
      // The head of the explanation stays in sight where both fit on the screen.
      const top = target.closest(".reader").getBoundingClientRect().top;
      const far = target.getBoundingClientRect().bottom - top;
      return far < innerHeight * 0.8 ? scrollTo(0, top + scrollY - 64) : target.scrollIntoView({ block: "center" });
    };
    // When the page is complete, the browser moves to the place itself.
    if (document.readyState === "complete") move();
    else addEventListener("load", () => requestAnimationFrame(move));
  };
  addEventListener("hashchange", () => route(true));
  addEventListener("popstate", () => route(false));
  route(true);
})();
