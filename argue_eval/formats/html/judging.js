// One question at a time, with what to read beside it.
(() => {
  const { at, data, show, make, say, load, save } = sheet;
  const { rows, texts } = data;
  const answers = rows.map((_, place) => load(place));
  const undone = [];
  let place = 0;
  let numDone = answers.filter((each) => each && each.verdict).length;
  let numUnsure = answers.filter((each) => each && each.verdict === "?").length;

  const LETTERS = { yes: "y", partial: "p", no: "n", contradicts: "c", "?": "x" };
  const WORDS = { yes: "Yes", partial: "Partial", no: "No", contradicts: "Contradicts", "?": "Cannot say" };
  const verdictOf = (at_) => (answers[at_] ? answers[at_].verdict : "");

  const put = (at_, answer) => {
    const before = verdictOf(at_);
    const after = answer ? answer.verdict : "";
    numDone += Boolean(after) - Boolean(before);
    numUnsure += (after === "?") - (before === "?");
    answers[at_] = answer;
  };
  const change = (answer) => {
    undone.push([place, answers[place]]);
    put(place, answer);
    save(place, answer);
  };

  // --- the row -------------------------------------------------------------------------------------

  const marked = (text, span) => {
    if (!span) return [sheet.visible(text)];
    const passage = make("mark", "", text.slice(span[0], span[1]));
    return [sheet.visible(text.slice(0, span[0])), passage, sheet.visible(text.slice(span[1]))];
  };
  const verdictShown = () => {
    const verdict = verdictOf(place);
    at("state").className = `state ${verdict === "?" ? "unsure" : verdict}`;
    show(at("state"), verdict ? WORDS[verdict] : "open");
    for (const each of at("choices").children) {
      each.setAttribute("aria-pressed", String(each.dataset.verdict === verdict));
    }
    const unsure = numUnsure ? `, ${sheet.number(numUnsure)} of them “cannot say”` : "";
    sheet.progress(numDone, rows.length, `${sheet.number(numDone)} of ${sheet.number(rows.length)} answered${unsure}`);
    at("undo").disabled = !undone.length;
    at("back").disabled = place === 0;
    at("next").disabled = place === rows.length - 1;
  };
  const button = (verdict) => {
    const made = make("button", "", `${WORDS[verdict]} `);
    made.type = "button";
    made.dataset.verdict = verdict;
    made.append(make("kbd", "", LETTERS[verdict]));
    made.addEventListener("click", () => answer(verdict));
    return made;
  };
  const go = (to) => {
    place = Math.min(Math.max(to, 0), rows.length - 1);
    const row = rows[place];
    show(at("place"), `Row ${sheet.number(place + 1)} of ${sheet.number(rows.length)}`);
    show(at("kind"), row.k.kind.replaceAll("_", " "));
    show(at("question"), texts[row.q]);
    show(at("sentence"), row.s === undefined ? "" : texts[row.s]);
    at("sentence").hidden = row.s === undefined;
    const hadFocus = at("choices").contains(document.activeElement);
    at("choices").replaceChildren(...[...row.c, "?"].map(button));
    if (hadFocus) at("question").focus();
    at("note").value = answers[place] ? answers[place].note : "";
    show(at("topic-id"), row.k.topic_id);
    show(at("topic"), texts[row.t]);
    at("about").open ||= row.k.kind === "relevant";
    const has = row.e !== undefined;
    const isDocument = row.k.doc_id !== undefined;
    show(at("evidence-title"), isDocument ? `Document ${row.k.doc_id}` : has ? "Before it in the report" : "Nothing to read beside it");
    at("evidence").replaceChildren(...(has ? marked(texts[row.e], row.m) : []));
    if (!has && isDocument) show(at("evidence"), "The text of the document is not on this sheet.");
    at("marked").hidden = !row.m;
    const mark = at("evidence").querySelector("mark");
    at("evidence").scrollTop = mark ? mark.offsetTop - at("evidence").offsetTop - at("evidence").clientHeight / 3 : 0;
    verdictShown();
    save("place", place);
  };

  // --- answering -----------------------------------------------------------------------------------

  const answer = (verdict) => {
    if (verdict !== "?" && !rows[place].c.includes(verdict)) return;
    change({ verdict, note: at("note").value.trim(), time: new Date().toISOString() });
    const said = `Row ${place + 1}: ${WORDS[verdict]}.`;
    const isLast = place === rows.length - 1;
    go(place + 1);
    say(numDone === rows.length ? `${said} All rows are answered: export them.` : isLast ? `${said} This is the last row.` : said);
  };
  const note = () => {
    const text = at("note").value.trim();
    const before = answers[place] || { verdict: "", note: "", time: "" };
    if (text === before.note) return;
    change({ ...before, note: text, time: new Date().toISOString() });
    verdictShown();
  };
  const undo = () => {
    const last = undone.pop();
    if (!last) return say("There is nothing to undo.");
    put(...last);
    save(...last);
    go(last[0]);
    say(`Undone: row ${place + 1}.`);
  };
  const nextOpen = () => {
    const order = [...rows.keys()].map((each) => (place + 1 + each) % rows.length);
    const found = order.find((each) => !verdictOf(each));
    if (found === undefined) return say("No row is open.");
    go(found);
  };

  // --- out and in ----------------------------------------------------------------------------------

  const keysOf = (row) => {
    const decoded = row.h ? JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(row.h), (each) => each.charCodeAt(0)))) : {};
    return { ...row.k, ...decoded, ...(row.n === undefined ? {} : { sentence: texts[row.n] }) };
  };
  const lineOf = (row, number) => {
    const { verdict, note: text, time } = answers[number] || { verdict: "", note: "", time: "" };
    return {
      row: `${number + 1} of ${rows.length}`, ...keysOf(row), verdict, note: text, judge: sheet.judge(),
      ...(time ? { time } : {}), ...(row.p === undefined ? {} : { probability: row.p }), sheet: data.sheet,
    };
  };
  const write = () => sheet.write(rows.map(lineOf));
  sheet.loading((found) => {
    let num = 0;
    for (const { row, verdict, note: text, time } of found) {
      const number = parseInt(row, 10) - 1;
      const isNewer = !answers[number] || (time || "") > answers[number].time;
      if (!(number in rows) || !(verdict || text) || !isNewer) continue;
      if (verdict && verdict !== "?" && !rows[number].c.includes(verdict)) continue;
      put(number, { verdict, note: text || "", time: time || "" });
      save(number, answers[number]);
      num += 1;
    }
    undone.length = 0;
    go(place);
    say(`${sheet.number(num)} answers taken from the export.`);
  });
  sheet.changed((key) => {
    if (/^\d+$/.test(key) && Number(key) in rows) put(Number(key), load(key));
    verdictShown();
  });

  const focus = (id) => () => at(id).focus();
  const scroll = (way) => () => at("evidence").scrollBy(0, way * at("evidence").clientHeight * 0.8);
  sheet.keys([
    ...Object.entries(LETTERS).map(([verdict, letter]) => [[letter], WORDS[verdict], () => answer(verdict)]),
    [["j", "ArrowRight"], "Next row", () => go(place + 1)],
    [["k", "ArrowLeft"], "Row before", () => go(place - 1)],
    [["o"], "Next open row", nextOpen],
    [["g"], "Go to a row by its number", focus("goto")],
    [["m"], "Write a note; Escape leaves it", focus("note")],
    [["d", "PageDown"], "Document down", scroll(1)],
    [["b", "PageUp"], "Document up", scroll(-1)],
    [["u"], "Undo; also Ctrl+Z", undo],
    [["e"], "Export", write],
    [["h"], "These keys", () => at("help").click()],
  ]);
  sheet.press("undo", undo);
  sheet.press("export", write);
  sheet.press("back", () => go(place - 1));
  sheet.press("next", () => go(place + 1));
  sheet.press("open", nextOpen);
  at("note").addEventListener("change", note);
  at("goto").max = rows.length;
  at("goto").addEventListener("change", () => {
    if (at("goto").value) go(Number(at("goto").value) - 1);
    at("goto").value = "";
    at("goto").blur();
  });
  go(load("place") || 0);
})();
