"use strict";
const find = (query, within = document) => within.querySelector(query);
const rows = [...document.querySelectorAll("#cases tbody tr")];

/* The table: sorting and filtering. */
const cell = (row, column) => row.cells[column].textContent;
const headings = [...document.querySelectorAll("#cases th")];
headings.forEach((heading, column) => {
  find("button", heading).onclick = () => {
    const down = heading.getAttribute("aria-sort") === "ascending";
    headings.forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const order = (a, b) => cell(a, column).localeCompare(cell(b, column), undefined, { numeric: true });
    rows.sort((a, b) => (down ? -1 : 1) * order(a, b));
    find("#cases tbody").append(...rows);
  };
});
headings[0].setAttribute("aria-sort", "ascending");

function filter() {
  const form = find("#filter");
  const words = form.text.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const fits = words.every((word) => text.includes(word));
    row.hidden = !fits || (form.distinct.checked && row.className !== "");
    shown += !row.hidden;
  }
  find("output", form).textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`;
}
find("#filter").oninput = filter;
find("#filter").onsubmit = (event) => event.preventDefault();

/* One case. */
function make(tag, attributes = {}, ...children) {
  const node = Object.assign(document.createElement(tag), attributes);
  node.append(...children);
  return node;
}
const section = (title, ...children) => make("section", {}, make("h2", { textContent: title }), ...children);

async function details(index) {
  const text = find("#d" + index).textContent;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function programs(files) {
  return files.map(([path, html]) =>
    section(files.length > 1 ? path : "Reduced program", make("pre", { innerHTML: html })));
}

function curves([tests, time]) {
  const picture = make("div", { innerHTML: tests });
  const buttons = [["over tests", tests], ["over time", time]].map(([name, svg]) => {
    const button = make("button", { textContent: name });
    button.onclick = () => {
      picture.innerHTML = svg;
      buttons.forEach((other) => other.setAttribute("aria-pressed", other === button));
    };
    return button;
  });
  buttons.forEach((button, number) => button.setAttribute("aria-pressed", number === 0));
  const head = make("div", { className: "head" }, make("h2", { textContent: "Size" }),
    make("span", { className: "switch" }, ...buttons));
  return make("section", {}, head, picture);
}

function passes(list) {
  const head = "pass,asked,interesting,,tokens removed".split(",");
  const body = [...list].sort((a, b) => b.tokens_removed - a.tokens_removed).map((pass) => {
    const rate = pass.asked ? Math.round((100 * pass.interesting) / pass.asked) : 0;
    const bar = make("i");
    bar.style.width = rate + "%";
    return make("tr", {}, make("td", { className: "left", textContent: pass.name }),
      ...[pass.asked, pass.interesting].map((count) => make("td", { textContent: count })),
      make("td", {}, rate + " %", make("span", { className: "bar" }, bar)),
      make("td", { textContent: pass.tokens_removed }));
  });
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...head.map((name, at) =>
    make("th", { className: at ? "" : "left", textContent: name })))), make("tbody", {}, ...body));
  return section("Passes", make("div", { className: "wide" }, table));
}

let step = () => {};
function commits(list) {
  if (!list.length) return section("Commits", make("p", { textContent: "Nothing could be removed." }));
  let at = 0;
  const diff = make("pre", { className: "diff" });
  const label = make("span");
  const slider = make("input", { type: "range", min: 0, max: list.length - 1, value: 0 });
  const [back, on] = ["←", "→"].map((textContent) => make("button", { textContent }));
  const show = (number) => {
    at = Math.max(0, Math.min(list.length - 1, number));
    const commit = list[at];
    slider.value = at;
    back.disabled = at === 0;
    on.disabled = at === list.length - 1;
    label.textContent = `${at + 1} of ${list.length}: ${commit.pass}, question ${commit.question}, ` +
      `${commit.tokens} tokens, ${commit.bytes} bytes after ${commit.seconds.toFixed(1)} s`;
    const kind = { "+": "plus", "-": "minus", "@": "at", "…": "at" };
    diff.replaceChildren(...commit.diff.split("\n").slice(0, -1).map((line) =>
      make("span", { className: kind[line[0]] || "", textContent: line })));
  };
  back.onclick = () => show(at - 1);
  on.onclick = () => show(at + 1);
  slider.oninput = () => show(Number(slider.value));
  step = (by) => show(at + by);
  show(0);
  const box = section("Commits", make("div", { className: "step" }, back, slider, on), make("p", {}, label), diff);
  return box;
}

function commands(list, output) {
  const lines = list.map(({ what, command }) => make("div", {}, make("small", { textContent: what }),
    make("div", { className: "command" }, make("code", { textContent: command }))));
  const boxes = [section("To do it again", ...lines)];
  if (output) boxes.push(section("What the test printed", make("pre", { textContent: output })));
  return boxes;
}

function tiles(record) {
  const list = make("dl", { className: "tiles" });
  const left = record.before.tokens ? ((100 * record.after.tokens) / record.before.tokens).toFixed(1) + " %" : "";
  const facts = [["outcome", record.outcome.replaceAll("_", " ")],
    ["tokens", `${record.before.tokens} → ${record.after.tokens}`], ...(left ? [["left", left]] : []),
    ["bytes", `${record.before.bytes} → ${record.after.bytes}`], ["questions", record.questions],
    ["tests", record.tests], ["seconds", record.seconds.toFixed(1)]];
  if (record.before.work_items > 1)
    facts.push(["work-items", `${record.before.work_items} → ${record.after.work_items}`]);
  list.append(...facts.map(([name, value]) => make("div", {}, make("dt", { textContent: name }),
    make("dd", { textContent: value }))));
  return list;
}

async function route() {
  const index = Number.parseInt(location.hash.slice(1), 10);
  const known = find("#d" + index);
  find("#all").hidden = Boolean(known);
  find("#one").hidden = !known;
  step = () => {};
  if (!known) return;
  const shown = await details(index);
  const count = document.querySelectorAll("script[id^=d]").length;
  const link = (to, text) => {
    const button = make("button", { textContent: text, disabled: to < 0 || to >= count });
    button.onclick = () => { location.hash = to; };
    return button;
  };
  const nav = make("nav", {}, make("a", { href: "#", textContent: "All cases" }),
    make("span", { className: "gap" }), link(index - 1, "Previous case"), link(index + 1, "Next case"));
  const reason = shown.record.reason ? [make("p", { textContent: shown.record.reason })] : [];
  const parts = !shown.files.length ? [] : [
    make("div", { className: "pair" }, make("div", {}, ...programs(shown.files)), curves(shown.curves)),
    commits(shown.commits), passes(shown.record.passes)];
  find("#one").replaceChildren(nav, make("h1", { textContent: shown.record.name }), ...reason, tiles(shown.record),
    ...parts, ...commands(shown.commands, shown.record.output));
  scrollTo(0, 0);
}
onhashchange = route;
onkeydown = (event) => {
  if (event.target.tagName === "INPUT") return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
};
route();
