// Shows the findings: the data of the page becomes elements, and every text stays text.
"use strict";
(() => {
  const {rules, findings} = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const list = document.getElementById("findings");
  const search = document.getElementById("search");
  const status = document.getElementById("shown");
  const fold = document.getElementById("fold");
  const help = document.getElementById("help");
  const severities = ["error", "warning", "note"];
  root.classList.add("scripts");

  // Elements

  function element(tag, attributes, ...inside) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...inside);
    return made;
  }

  function prose(text) { // code between backticks, as in all messages
    return text.split(/`([^`]+)`/).map((part, index) => index % 2 ? element("code", {}, part) : part);
  }

  function frame(finding) {
    const lines = finding.frame.map(([number, before, marked, after]) => {
      const code = element("code", {}, before);
      if (marked || number === finding.line) code.append(element("mark", {}, marked), after);
      const gutter = element("span", {class: "gutter", "aria-hidden": "true"}, `${number ?? ""}`);
      return element("span", {class: marked ? "line in" : "line"}, gutter, code, "\n");
    });
    return element("pre", {tabindex: "0", "aria-label": "Source"}, ...lines);
  }

  function changes(fix) {
    const tags = {"-": "del", "+": "ins", "": "span"};
    const lines = fix.changes.map(([sign, code]) =>
      element(tags[sign], {class: "line"}, element("span", {class: "gutter"}, sign || " "),
        element("code", {}, code), "\n"));
    const how = fix.safe ? "safe, with --fix" : "unsafe, with --unsafe-fixes";
    const title = element("summary", {}, ...prose(fix.title), " ", element("small", {}, `(${how})`));
    if (!lines.length) return element("p", {}, ...title.childNodes);
    const shown = element("pre", {class: "diff", tabindex: "0", "aria-label": "Fix"}, ...lines);
    return element("details", {}, title, shown);
  }

  function remark(label, ...inside) {
    return element("div", {class: `remark ${label}`}, element("span", {class: "label"}, label),
      element("div", {}, ...inside));
  }

  // Of thousands of findings few are ever looked at: the others are one line of text each.

  function card(finding) {
    const {code, id, message, path, place, severity} = finding;
    const attributes = {id, tabindex: "-1", class: severity};
    return element("article", attributes, `${path}:${place} ${code} ${message}`);
  }

  function fill({finding, card: made}) {
    if (made.firstElementChild) return;
    const rule = rules[finding.code];
    const place = element("a", {class: "place", href: `#${finding.id}`},
      element("span", {class: "path"}, finding.path), `:${finding.place}`);
    made.replaceChildren(
      element("header", {}, element("span", {class: `badge ${finding.severity}`}, finding.severity),
        element("span", {class: "code", title: rule.about}, `${finding.code} ${rule.name}`), place),
      element("h4", {}, ...prose(finding.message)));
    if (finding.frame) made.append(frame(finding));
    for (const each of finding.related ?? [])
      made.append(remark("from", ...prose(each)));
    if (finding.help) made.append(remark("help", ...prose(finding.help)));
    if (finding.fix) made.append(remark("fix", changes({changes: [], ...finding.fix})));
    for (const command of finding.commands ?? [])
      made.append(remark("confirm", element("code", {}, command)));
  }

  function words(finding) {
    const code = (finding.frame ?? []).map((line) => line.slice(1).join("")).join("\n");
    const {path, place, message, help: advice = ""} = finding;
    return [finding.code, rules[finding.code].name, `${path}:${place}`, message, advice, code]
      .join("\n").toLowerCase();
  }

  // Groups

  const grouped = {
    rule: (finding) => finding.code,
    path: (finding) => finding.path,
    severity: (finding) => finding.severity,
  };
  const worst = (items) => severities.findIndex((severity) =>
    items.some((each) => each.finding.severity === severity));
  const order = {
    rule: (a, b) => a.worst - b.worst || b.items.length - a.items.length || (a.key < b.key ? -1 : 1),
    path: () => 0,
    severity: (a, b) => severities.indexOf(a.key) - severities.indexOf(b.key),
  };

  function title(by, key) {
    if (by !== "rule")
      return [by === "path" ? key : {error: "Errors", warning: "Warnings", note: "Notes"}[key]];
    return [element("span", {class: "code"}, key), ` ${rules[key].name}`];
  }

  function about(by, key) {
    if (by !== "rule") return [];
    const {about: summary, page} = rules[key];
    const link = page
      ? [" ", element("a", {href: page, rel: "noreferrer"}, `Documentation of ${key}`)] : [];
    return [element("p", {class: "about"}, ...prose(summary), ...link)];
  }

  function group(by, key, items) {
    const count = element("span", {class: "count"}, "");
    const heading = element("h3", {}, ...title(by, key));
    const part = element("details", {class: "group", open: ""},
      element("summary", {}, heading, " ", count), ...about(by, key), ...items.map((each) => each.card));
    return {part, count, items, key};
  }

  const items = findings.map((finding) => ({finding, card: card(finding), shown: true}));
  const itemOf = new Map(items.map((item) => [item.card, item]));
  const near = new IntersectionObserver((entries) => {
    for (const {isIntersecting, target} of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      fill(itemOf.get(target));
    }
  }, {rootMargin: "1000px"});
  for (const {card} of items) near.observe(card);
  let groups = [];

  function arrange(by) {
    const found = new Map();
    for (const item of items) {
      const key = grouped[by](item.finding);
      if (!found.has(key)) found.set(key, []);
      found.get(key).push(item);
    }
    const made = [...found].map(([key, inside]) => ({key, items: inside, worst: worst(inside)})).sort(order[by]);
    groups = made.map((each) => group(by, each.key, each.items));
    list.replaceChildren(...groups.map((each) => each.part));
    filter();
  }

  // What is shown

  function has(item, wanted) {
    if (!wanted.length) return true;
    item.words ??= words(item.finding);
    return wanted.every((word) => item.words.includes(word));
  }

  function filter() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kinds = new Set([...document.querySelectorAll("#severities :checked")].map((e) => e.value));
    let shown = 0;
    for (const each of groups) {
      let inside = 0;
      for (const item of each.items) {
        item.shown = kinds.has(item.finding.severity) && has(item, wanted);
        if (item.card.hidden === item.shown) item.card.hidden = !item.shown;
        if (item.shown) inside += 1;
      }
      each.part.hidden = !inside;
      const all = each.items.length;
      each.count.textContent = inside === all ? `${all}` : `${inside} of ${all}`;
      shown += inside;
    }
    status.textContent = shown === items.length
      ? `${shown.toLocaleString("en")} shown`
      : `${shown.toLocaleString("en")} of ${items.length.toLocaleString("en")} shown`;
  }

  function setFolded(folded) {
    for (const {part} of groups) part.open = !folded;
    fold.textContent = folded ? "Unfold all" : "Fold all";
  }

  // Moving

  function step(by) {
    const shown = groups.flatMap((each) => each.items).filter((item) => item.shown);
    const here = shown.findIndex((item) => item.card.contains(document.activeElement));
    const next = shown[here < 0 ? (by > 0 ? 0 : shown.length - 1) : here + by];
    if (next) show(next.card);
  }

  function show(card) {
    fill(itemOf.get(card));
    card.closest("details.group").open = true;
    card.focus({preventScroll: true});
    card.scrollIntoView({block: "nearest"});
  }

  function groupBy(by) {
    const radio = document.querySelector(`#grouping [value=${by}]`);
    radio.checked = true;
    fold.textContent = "Fold all";
    arrange(by);
  }

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    "/": () => { search.form.scrollIntoView(); search.focus(); search.select(); },
    "?": () => help.showModal(),
  };
  const groupings = {r: "rule", f: "path", s: "severity"};
  let before = "";

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const inCard = document.activeElement?.closest("article") !== null;
    const typing = document.activeElement === search;
    const last = before;
    before = "";
    let act = null;
    if (event.key === "Escape" && (typing || search.value)) {
      act = () => { search.value = ""; search.blur(); filter(); };
    } else if (typing) {
      if (event.key === "Enter") act = () => step(1);
    } else if (last === "g" && groupings[event.key]) {
      act = () => groupBy(groupings[event.key]);
    } else if (event.key === "g") {
      before = "g";
    } else if (inCard && event.key === "ArrowDown") {
      act = keys.j;
    } else if (inCard && event.key === "ArrowUp") {
      act = keys.k;
    } else {
      act = keys[event.key];
    }
    if (act) {
      event.preventDefault();
      act();
    }
  });

  // The theme is kept, where the browser lets a page keep something

  const themes = ["system", "light", "dark"];

  function setTheme(name) {
    root.dataset.theme = name;
    document.getElementById("theme").textContent = `Theme: ${name}`;
  }

  function stored(action) {
    try { return action(window.localStorage); } catch { return null; }
  }

  setTheme(themes.find((name) => name === stored((storage) => storage.getItem("rocmlint-theme")))
    ?? "system");
  document.getElementById("theme").addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
    setTheme(next);
    stored((storage) => storage.setItem("rocmlint-theme", next));
  });

  search.addEventListener("input", filter);
  search.form.addEventListener("submit", (event) => event.preventDefault());
  document.getElementById("severities").addEventListener("change", filter);
  document.getElementById("grouping").addEventListener("change", (event) => groupBy(event.target.value));
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  fold.addEventListener("click", () => setFolded(fold.textContent === "Fold all"));
  for (const head of document.querySelectorAll(".families th")) {
    const button = element("button", {type: "button", title: "Search for it"}, head.textContent);
    button.addEventListener("click", () => {
      search.value = head.textContent;
      filter();
      search.form.scrollIntoView();
    });
    head.replaceChildren(button);
  }
  window.addEventListener("beforeprint", () => {
    items.forEach(fill);
    for (const each of document.querySelectorAll("details")) each.open = true;
  });
  arrange("rule");
  const target = document.getElementById(location.hash.slice(1));
  if (target?.matches("article")) show(target);
  if (!findings.length) document.getElementById("findings-section").hidden = true;
  performance.mark("rocmlint-shown");
})();
