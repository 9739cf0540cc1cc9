// Nuggets of one topic at a time. What is done is a list of edits, each with all that it replaces.
(() => {
  const { at, data, show, make, say, load, save } = sheet;
  const { topics } = data;
  const NONE = { nugget_id: "", question: "", answers: [] };
  const edits = [];
  while (load(`edit/${edits.length}`)) edits.push(load(`edit/${edits.length}`));
  const seen = new Set(load("seen") || []);
  const marked = new Set();
  let state = [];
  let topic = 0;
  let place = 0;

  const total = topics.reduce((sum, each) => sum + each.nuggets.length, 0);
  const copy = (value) => JSON.parse(JSON.stringify(value));
  const nuggets = () => state[topic];
  const nugget = () => nuggets()[place] || NONE;

  // --- edits ---------------------------------------------------------------------------------------

  const apply = ({ topic: where, replaces, by }) => {
    const list = state[where];
    const ids = new Set(replaces.map((each) => each.nugget_id));
    const first = list.findIndex((each) => ids.has(each.nugget_id));
    const rest = list.filter((each) => !ids.has(each.nugget_id));
    rest.splice(first < 0 ? rest.length : first, 0, ...by);
    state[where] = rest;
  };
  const replay = () => {
    state = topics.map((each) => each.nuggets);
    edits.forEach(apply);
  };
  const edit = (kind, replaces, by) => {
    const made = copy({ topic, kind, replaces, by, time: new Date().toISOString() });
    save(`edit/${edits.length}`, made);
    edits.push(made);
    apply(made);
    say(`${kind}: ${replaces.map((each) => each.nugget_id).join(", ") || by[0].nugget_id}`);
  };
  const undo = () => {
    const last = edits.pop();
    if (!last) return say("There is nothing to undo.");
    save(`edit/${edits.length}`, null);
    replay();
    topic = last.topic;
    const [first] = last.replaces;
    place = first ? nuggets().findIndex((each) => each.nugget_id === first.nugget_id) : 0;
    draw();
    say(`Undone: ${last.kind}.`);
  };
  const change = (name, value) => {
    const old = nugget();
    if (old === NONE) return;
    const made = copy(old);
    if (value === undefined) delete made[name];
    else made[name] = value;
    if (JSON.stringify(made) === JSON.stringify(old)) return;
    edit("edited", [old], [made]);
    drawList();
  };
  const newId = (start) => {
    const all = [topics[topic], ...edits.filter((each) => each.topic === topic).map((each) => ({ nuggets: each.by }))];
    const taken = new Set(all.flatMap((each) => each.nuggets.map((one) => one.nugget_id)));
    let number = 1;
    while (taken.has(number === 1 ? start : `${start}-${number}`)) number += 1;
    return number === 1 ? start : `${start}-${number}`;
  };

  // --- what is shown -------------------------------------------------------------------------------

  const isClaim = (each) => each.question === null;
  const called = (each) => (isClaim(each) ? each.answers[0].answer : each.question);
  // Buttons stay what they are: the click that leaves a field, which changes the list, must not get lost.
  const newRow = (number) => {
    const row = make("li");
    const button = make("button");
    button.type = "button";
    button.addEventListener("click", () => go(number));
    row.append(button);
    return row;
  };
  const filled = new WeakMap();
  const fill = (button, each, isCurrent) => {
    const [nugget_, wasCurrent, wasMarked] = filled.get(button) || [];
    const isMarked = marked.has(each.nugget_id);
    if (nugget_ === each && wasCurrent === isCurrent && wasMarked === isMarked) return;
    filled.set(button, [each, isCurrent, isMarked]);
    button.setAttribute("aria-current", String(isCurrent));
    const facts = [isMarked && "marked", each.importance, each.aggregator === "AND" && "AND"].filter(Boolean);
    const tags = facts.map((fact) => make("span", "tag", fact));
    button.replaceChildren(make("b", "", each.nugget_id), " ", make("bdi", "", called(each)), ...tags);
  };
  const answerOf = (each, number) => {
    const row = make("li");
    const tick = make("input");
    tick.type = "checkbox";
    tick.setAttribute("aria-label", `Split off answer ${number + 1}`);
    const text = make("textarea");
    text.rows = 2;
    text.dir = "auto";
    text.value = each.answer;
    text.setAttribute("aria-label", `Answer ${number + 1}`);
    const docs = make("textarea");
    docs.rows = 2;
    docs.value = each.doc_ids.join("\n");
    docs.setAttribute("aria-label", `Documents of answer ${number + 1}, one a line`);
    docs.placeholder = "documents, one a line";
    const remove = make("button", "", "Remove");
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove answer ${number + 1}`);
    remove.addEventListener("click", () => {
      answers((list) => list.splice(number, 1));
      drawForm();
    });
    text.addEventListener("change", () => answers((list) => (list[number].answer = text.value.trim())));
    docs.addEventListener("change", () => {
      const ids = [...new Set(docs.value.split("\n").map((id) => id.trim()).filter(Boolean))];
      if (ids.some((id) => /\p{C}|(?! )\p{Z}/u.test(id))) {
        drawForm();
        return say("Not changed: a document's id has no invisible characters.");
      }
      answers((list) => (list[number].doc_ids = ids));
      return at("documents").replaceChildren(...documents());
    });
    row.append(tick, text, docs, remove);
    return row;
  };
  const documents = () => {
    const ids = [...new Set(nugget().answers.flatMap((each) => each.doc_ids))].filter((each) => each in data.documents);
    return ids.map((id) => {
      const made = make("details", "topic");
      made.append(make("summary", "", `Document ${id}`));
      const text = make("p", "", data.documents[id]);
      text.dir = "auto";
      made.append(text);
      return made;
    });
  };
  const drawList = () => {
    const rows = at("list");
    while (rows.children.length > nuggets().length) rows.lastChild.remove();
    nuggets().forEach((each, number) => {
      if (number === rows.children.length) rows.append(newRow(number));
      fill(rows.children[number].firstChild, each, number === place);
    });
    at("undo").disabled = !edits.length;
    const done = Math.min(seen.size, total);
    sheet.progress(done, total, `${sheet.number(done)} of ${sheet.number(total)} seen, ${sheet.number(edits.length)} edit${edits.length === 1 ? "" : "s"}`);
  };
  const drawForm = () => {
    const each = nugget();
    const has = each !== NONE;
    show(at("form-title"), has ? `Nugget ${each.nugget_id}` : "This topic has no nuggets");
    at("form").hidden = !has;
    at("question-line").hidden = isClaim(each);
    at("question").value = each.question || "";
    show(at("answers-title"), isClaim(each) ? "Claim" : "Answers");
    at("answers").replaceChildren(...each.answers.map(answerOf));
    at("answer").hidden = isClaim(each);
    at("split").hidden = isClaim(each);
    at("aggregator").value = each.aggregator || "OR";
    at("importance").value = each.importance || "";
    at("weight").value = each.weight === undefined ? "" : each.weight;
    at("group").value = each.group || "";
    at("mark").setAttribute("aria-pressed", String(marked.has(each.nugget_id)));
    at("documents").replaceChildren(...documents());
  };
  const draw = () => {
    place = Math.min(Math.max(place, 0), Math.max(nuggets().length - 1, 0));
    const { nugget_id: id } = nugget();
    if (id && topics[topic].nuggets.some((each) => each.nugget_id === id)) seen.add(`${topic}/${id}`);
    show(at("topic-title"), topics[topic].topic_id);
    show(at("topic"), topics[topic].request || "There is no request on this sheet.");
    at("topics").value = topic;
    at("before").disabled = topic === 0;
    at("after").disabled = topic === topics.length - 1;
    drawList();
    drawForm();
    save("seen", [...seen]);
    save("at", [topic, place]);
  };
  const go = (to) => {
    place = to;
    draw();
    const current = at("list").querySelector("[aria-current]");
    if (current) current.scrollIntoView({ block: "nearest" });
  };
  const goTopic = (to) => {
    topic = Math.min(Math.max(to, 0), topics.length - 1);
    marked.clear();
    go(0);
  };

  // --- what people do ------------------------------------------------------------------------------

  const answers = (act) => {
    const list = copy(nugget().answers);
    act(list);
    const texts = list.map((each) => each.answer);
    if (texts.some((each) => !each) || new Set(texts).size < texts.length || (isClaim(nugget()) && !list.length)) {
      drawForm();
      return say("Not changed: an answer has a text, which no other answer of the nugget has.");
    }
    change("answers", list);
  };
  const addAnswer = () => {
    if (isClaim(nugget()) || nugget() === NONE) return;
    const made = answerOf({ answer: "", doc_ids: [] }, nugget().answers.length);
    const [, text, docs, remove] = made.children;
    const fresh = text.cloneNode();
    text.replaceWith(fresh);
    docs.hidden = true;
    remove.hidden = true;
    fresh.addEventListener("change", () => {
      answers((list) => list.push({ answer: fresh.value.trim(), doc_ids: [] }));
      drawForm();
      at("answers").lastChild.querySelectorAll("textarea")[1].focus();
    });
    at("answers").append(made);
    fresh.focus();
  };
  const toggleMark = () => {
    const id = nugget().nugget_id;
    if (!marked.delete(id) && id) marked.add(id);
    draw();
  };
  const origins = (each) =>
    each.merged_from && each.merged_from.length
      ? each.merged_from
      : [{ nugget_id: each.nugget_id, question: each.question, answers: each.answers }];
  const merge = () => {
    marked.add(nugget().nugget_id);
    const members = nuggets().filter((each) => marked.has(each.nugget_id));
    if (members.length < 2) return say("Mark the nuggets to merge first, with x.");
    const [first] = members;
    if (members.some((each) => isClaim(each) !== isClaim(first))) return say("A claim and a question cannot be merged.");
    const found = new Map();
    for (const each of members.flatMap((one) => one.answers)) {
      const text = isClaim(first) ? first.answers[0].answer : each.answer;
      const earlier = found.get(text) || { ...each, answer: text, doc_ids: [] };
      found.set(text, { ...earlier, doc_ids: [...new Set([...earlier.doc_ids, ...each.doc_ids])] });
    }
    const words = members.map((each) => each.importance);
    const importance = words.includes("vital") ? "vital" : words.includes("okay") ? "okay" : null;
    const made = { ...first, answers: [...found.values()], importance, merged_from: members.flatMap(origins) };
    edit("merged", members, [made]);
    marked.clear();
    go(nuggets().findIndex((each) => each.nugget_id === first.nugget_id));
  };
  const split = () => {
    const old = nugget();
    const isTicked = [...at("answers").querySelectorAll("input[type=checkbox]")].map((each) => each.checked);
    const [off, kept] = [true, false].map((way) => old.answers.filter((_, number) => Boolean(isTicked[number]) === way));
    if (isClaim(old) || !off.length || !kept.length) return say("Tick some of the answers, not all: they go to a new nugget.");
    const made = { ...old, nugget_id: newId(old.nugget_id), answers: off, split_from: old.nugget_id };
    edit("split", [old], [{ ...old, answers: kept }, made]);
    go(nuggets().findIndex((each) => each.nugget_id === made.nugget_id));
    at("question").focus();
  };
  const remove = () => {
    if (nugget() === NONE) return;
    edit("removed", [nugget()], []);
    draw();
  };
  const add = () => {
    const made = { nugget_id: newId("new"), question: "?", aggregator: "OR", importance: null, answers: [] };
    edit("added", [], [made]);
    go(nuggets().length - 1);
    at("question").focus();
    at("question").select();
  };

  // --- out and in ----------------------------------------------------------------------------------

  const write = () =>
    sheet.write(
      edits.map(({ topic: where, ...rest }) => ({
        format: data.edits, topic_id: topics[where].topic_id, ...rest, judge: sheet.judge(), sheet: data.sheet,
      })),
    );
  sheet.loading((found) => {
    const same = edits.every((each, number) => found[number] && found[number].time === each.time);
    if (!same) return sheet.warn("There are edits here that the export does not have. Export them, undo them, then continue.");
    for (const { topic_id: id, kind, replaces, by, time } of found.slice(edits.length)) {
      const where = topics.findIndex((each) => each.topic_id === id);
      const made = { topic: where, kind, replaces, by, time };
      save(`edit/${edits.length}`, made);
      edits.push(made);
    }
    replay();
    draw();
    say(`${sheet.number(found.length)} edits taken from the export.`);
  });
  sheet.changed((key) => {
    if (key.startsWith("edit/")) sheet.warn("This sheet is open in another window too: close one of the two, and reload.");
  });

  const field = (id, act) => at(id).addEventListener("change", () => act(at(id).value));
  field("topics", (value) => goTopic(Number(value)));
  field("question", (value) => {
    if (value.trim()) return change("question", value.trim());
    drawForm();
    return say("Not changed: a question has a text.");
  });
  field("aggregator", (value) => change("aggregator", value));
  field("importance", (value) => change("importance", value || null));
  field("weight", (value) => {
    if (Math.abs(Number(value)) <= data.max_weight) return change("weight", value === "" ? undefined : Number(value));
    drawForm();
    return say(`Not changed: a weight is from -${data.max_weight} to ${data.max_weight}.`);
  });
  field("group", (value) => change("group", value.trim() || undefined));
  const swap = () => {
    change("aggregator", nugget().aggregator === "AND" ? "OR" : "AND");
    drawForm();
  };
  const weigh = (word) => () => {
    change("importance", nugget().importance === word ? null : word);
    drawForm();
  };
  const focus = (id) => () => at(id).focus();
  sheet.keys([
    [["j", "ArrowDown"], "Next nugget", () => go(place + 1)],
    [["k", "ArrowUp"], "Nugget before", () => go(place - 1)],
    [["]"], "Next topic", () => goTopic(topic + 1)],
    [["["], "Topic before", () => goTopic(topic - 1)],
    [["i"], "Edit the question; Escape leaves it", () => (isClaim(nugget()) ? at("answers").querySelector("textarea") : at("question")).focus()],
    [["a"], "Add an answer", addAnswer],
    [["v"], "Vital, or not", weigh("vital")],
    [["o"], "Okay, or not", weigh("okay")],
    [["t"], "Any answer or all answers", swap],
    [["w"], "Weight", focus("weight")],
    [["x"], "Mark, to merge", toggleMark],
    [["m"], "Merge with the marked nuggets", merge],
    [["s"], "Split off the ticked answers", split],
    [["r", "Delete"], "Remove the nugget", remove],
    [["n"], "New nugget", add],
    [["u"], "Undo; also Ctrl+Z", undo],
    [["e"], "Export", write],
    [["h"], "These keys", () => at("help").click()],
  ]);
  sheet.press("undo", undo);
  sheet.press("export", write);
  sheet.press("before", () => goTopic(topic - 1));
  sheet.press("after", () => goTopic(topic + 1));
  sheet.press("add", add);
  sheet.press("answer", addAnswer);
  sheet.press("mark", toggleMark);
  sheet.press("merge", merge);
  sheet.press("split", split);
  sheet.press("remove", remove);
  at("topics").replaceChildren(
    ...topics.map((each, number) => {
      const made = make("option", "", each.topic_id);
      made.value = number;
      return made;
    }),
  );
  replay();
  [topic, place] = load("at") || [0, 0];
  topic = topic in topics ? topic : 0;
  draw();
})();
