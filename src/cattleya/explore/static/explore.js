// What makes the explorer's pages follow what is set on them. The server makes all HTML; this
// fetches it and puts it in its place, keeps the address in step, and ends what nobody waits for.
"use strict";
(() => {
  const running = new Map(); // by part: what ends its request
  const PAGE = "page";
  const NOBODY = document.getElementById("lost").textContent;
  let patience;

  const url = new URL(location.href);
  if (url.searchParams.has("token")) { // the cookie has it now
    url.searchParams.delete("token");
    history.replaceState(null, "", url);
  }

  const asked = (form) => {
    const address = new URL(form.action, location.href);
    address.search = "";
    address.hash = "";
    for (const control of form.elements) {
      const { name, value, type, checked, dataset } = control;
      if (!name || value === "" || ((type === "checkbox" || type === "radio") && !checked)) continue;
      if (dataset.default !== undefined && dataset.default === value) continue;
      address.searchParams.append(name, value);
    }
    return address;
  };

  const say = (text) => { document.getElementById("busy").textContent = text; };
  const lost = (is, why = NOBODY) => {
    const note = document.getElementById("lost");
    note.textContent = why;
    note.hidden = !is;
  };

  const fetched = async (address, part) => {
    running.get(part)?.abort();
    const end = new AbortController();
    running.set(part, end);
    const from = new URL(address);
    if (part !== PAGE) from.searchParams.set("part", part);
    try {
      const answer = await fetch(from, { signal: end.signal, credentials: "same-origin", cache: "no-store" });
      const text = await answer.text();
      const is = answer.headers.get("content-type")?.startsWith("text/html");
      lost(!is, text); // what is no page is why there is none
      return is ? text : null;
    } catch (error) {
      if (error.name !== "AbortError") lost(true);
      return null;
    } finally {
      if (running.get(part) === end) running.delete(part);
    }
  };

  // A row is asked for as soon as the pointer rests on its link, or it has the focus; what was
  // begun is ended where another is looked at, so that there is never more than one.
  let ahead = null;
  let rest;
  const RESTS = 40; // milliseconds
  const KEPT = 5000;

  const leave = () => { clearTimeout(rest); ahead?.end.abort(); ahead = null; };
  const lookAhead = (link) => {
    if (ahead?.href === link.href || made.has(link.href)) return;
    leave();
    const end = new AbortController();
    const text = fetch(link.href, { signal: end.signal, credentials: "same-origin", cache: "no-store" })
      .then((answer) => (answer.ok ? answer.text() : null), () => null);
    ahead = { href: link.href, end, text, since: performance.now() };
  };
  const lookLater = ({ target }) => {
    const link = target.closest?.("a[href^='/row?row=']");
    clearTimeout(rest);
    if (link && link.closest("table.rows")) rest = setTimeout(() => lookAhead(link), RESTS);
  };
  const seenAhead = async (address) => {
    const known = ahead;
    ahead = null;
    if (known.href === String(address) && performance.now() - known.since < KEPT) return known.text;
    known.end.abort();
    return null;
  };

  // What the rows of a table begin with comes behind it, one line each, as the server has made it:
  // such a row is there when it is chosen.
  const made = new Map(); // by address
  let making;
  const makeAhead = async () => {
    making?.abort();
    made.clear();
    const { signal } = making = new AbortController();
    try {
      const answer = await fetch("/ahead", { signal, credentials: "same-origin", cache: "no-store" });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let line = "";
      for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
        const lines = (line + value).split("\n");
        line = lines.pop();
        for (const [href, text] of lines.map((one) => JSON.parse(one))) {
          made.set(new URL(href, location.href).href, text);
        }
      }
    } catch { /* they are asked for one by one */ }
  };

  const opened = (within) =>
    [...within.querySelectorAll("details[open][id], details[open] > summary > h2[id]")].map((it) => it.id);
  let wereOpen = []; // on the page before
  const reopen = (ids) => {
    for (const id of ids) document.getElementById(id)?.closest("details")?.setAttribute("open", "");
  };

  const refresh = ({ refresh: part, stage }) => { // another part has more to show
    const place = document.getElementById(part);
    if (!place || place.dataset.stage === stage) return;
    place.dataset.stage = stage;
    place.dataset.load = part;
    load(place);
  };

  const loadParts = (within) => {
    for (const place of within.querySelectorAll("[data-load]")) load(place);
    if (within.querySelector("table.rows")) makeAhead();
  };

  const load = async (place, more = {}) => {
    const part = place.dataset.load;
    const target = document.getElementById(part);
    delete place.dataset.load;
    target.setAttribute("aria-busy", "true");
    const from = new URL(location.href);
    for (const [name, value] of Object.entries(more)) from.searchParams.set(name, value);
    const text = await fetched(from, part);
    if (!running.has(part)) target.removeAttribute("aria-busy");
    if (text === null || !target.isConnected) return;
    const open = opened(target);
    if (target.contains(focused())) remember();
    target.innerHTML = text;
    reopen(open);
    if (target.classList.contains("follows")) { // belongs to the page that was shown first
      target.classList.remove("follows");
      reopen(wereOpen);
    }
    refocus(true);
    for (const one of target.querySelectorAll("[data-refresh]")) refresh(one.dataset);
    if (target.querySelector(`[data-cancel="${part}"]`)) target.dataset.load = part; // not at its end
    if (target.dataset.load) load(target); else loadParts(target);
    if (!target.dataset.load) say("Answered.");
  };

  // The focus stays where it was: on the control of the same name, once that is there again; and
  // what was typed there since the page was asked for stays, too. Where there is none of that name
  // the contents have it, so that it never falls to the whole document.
  let wanted = null; // the control that had it, until another gets it
  let asking = {}; // that which had it when the page was asked for, and its value
  const focused = () => {
    const it = document.activeElement;
    return it && it !== document.body ? it : null;
  };
  const noted = () => { const it = focused(); return { it, value: it?.value }; };
  const remember = () => {
    const it = focused();
    if (wanted && it?.id === "content") return; // it only keeps the place of another
    wanted = null;
    if (!it) return;
    const { id, value } = it;
    const before = asking.it === it ? asking.value : it.defaultValue;
    const isText = it.matches("input:not([type=checkbox], [type=radio], [type=range])");
    wanted = { id, typed: isText && value !== before ? value : null };
    wanted.ends = isText && it.type !== "number" ? [it.selectionStart, it.selectionEnd] : null;
  };
  const refocus = (isLast) => {
    if (!wanted) return;
    const it = focused();
    if (it && it.id !== "content") { wanted = null; return; }
    const again = wanted.id && document.getElementById(wanted.id);
    if (again) {
      if (again.matches("input")) again.closest("details")?.setAttribute("open", "");
      again.focus({ preventScroll: true });
      if (wanted.typed !== null) again.value = wanted.typed;
      if (wanted.ends) try { again.setSelectionRange(...wanted.ends); } catch { /* not of this kind */ }
      wanted = null;
    } else if (isLast) {
      document.getElementById("content")?.focus({ preventScroll: true });
    }
  };

  const show = (text) => {
    const made = new DOMParser().parseFromString(text, "text/html");
    remember();
    wereOpen = opened(document);
    for (const part of ["#nav", "header", "main", "footer"]) {
      const [old, fresh] = [document.querySelector(part), made.querySelector(part)];
      if (old && fresh) old.replaceWith(document.adoptNode(fresh));
    }
    document.title = made.title;
    reopen(wereOpen);
    refocus(true);
    setTimeout(() => loadParts(document)); // what is there is shown before more is asked for
  };

  // Of another row the reason is asked for first, and all else follows; what is changed on a page
  // is answered as a whole, so that nothing that is looked at is away for a moment.
  const isAnother = (to) => to.pathname === "/row" && !to.hash && (location.pathname !== "/row"
    || to.searchParams.get("row") !== new URLSearchParams(location.search).get("row"));
  const firstOf = (address) => {
    const from = new URL(address);
    from.searchParams.set("part", "first");
    return from;
  };

  // An ensemble may take seconds for its reason: the address and what is being done are shown.
  const SOON = 150; // milliseconds
  const working = (address) => {
    const row = `row ${address.searchParams.get("row")}`;
    const heading = document.createElement("h1");
    heading.textContent = document.title = row[0].toUpperCase() + row.slice(1);
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", "Working");
    const told = document.createElement("p");
    told.className = "quiet progress working";
    told.append(bar, ` Explaining ${row} …`);
    remember();
    history.pushState(null, "", address);
    document.querySelector("header").replaceChildren(heading);
    document.querySelector("main").replaceChildren(told);
    refocus(true);
    say(`Explaining ${row} …`);
    scrollTo(0, 0);
  };
  const unanswered = () => document.querySelector(".working")?.replaceChildren("There is no answer.");

  const go = async (address, push) => {
    for (const [part, end] of running) if (part !== PAGE) end.abort();
    document.documentElement.setAttribute("aria-busy", "true");
    clearTimeout(rest);
    asking = noted();
    const another = push && isAnother(address);
    let told = false;
    const soon = another && setTimeout(() => { told = true; working(address); }, SOON);
    const text = (push && (made.get(address.href) ?? (ahead && await seenAhead(address))))
      || await fetched(another ? firstOf(address) : address, PAGE);
    clearTimeout(soon);
    if (!running.has(PAGE)) document.documentElement.removeAttribute("aria-busy");
    if (text === null) {
      if (!running.has(PAGE)) unanswered();
      return false;
    }
    if (push && !told) history.pushState(null, "", address);
    show(text);
    say("Answered.");
    return true;
  };

  const follow = async (control) => {
    const form = control.form;
    const address = asked(form);
    const part = control.dataset.part;
    if (address.href === location.href) return;
    if (!part) { go(address, true); return; }
    history.pushState(null, "", address);
    const text = await fetched(address, part);
    if (text === null) return;
    document.getElementById(part).innerHTML = text;
  };

  const later = (control, wait) => {
    clearTimeout(patience);
    for (const part of [PAGE, "fields"]) running.get(part)?.abort(); // would take the control away
    patience = setTimeout(() => follow(control), wait);
  };

  const slide = (slider) => {
    const stops = JSON.parse(slider.dataset.stops);
    const thresholds = JSON.parse(slider.dataset.thresholds);
    const at = Number(slider.value);
    const field = document.getElementById(slider.dataset.for);
    field.value = stops[at];
    slider.setAttribute("aria-valuetext", stops[at]);
    const words = [];
    if (at > 0) words.push(`above ${thresholds[at - 1]}`);
    if (at < thresholds.length) words.push(`up to ${thresholds[at]}`);
    slider.parentElement.querySelector(".between").textContent = words.join(", ");
    return field;
  };

  document.addEventListener("input", (event) => {
    const it = event.target;
    if (it.type === "range") later(slide(it), 150);
    else if (it.id === "text" || it.id === "where") later(it, 500);
  });
  document.addEventListener("change", (event) => {
    const it = event.target;
    if (it.dataset.picks) { document.getElementById(it.dataset.picks).name = `where:${it.value}`; return; }
    if (it.type === "range" || it.dataset.page !== undefined || !it.form) return;
    clearTimeout(patience);
    follow(it);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(patience);
    go(asked(event.target), true);
  });
  document.addEventListener("click", (event) => {
    const cancel = event.target.closest("[data-cancel]");
    if (cancel) {
      const part = cancel.dataset.cancel;
      running.get(part)?.abort();
      if (cancel.dataset.stop) { // what there is, is put together
        const place = document.getElementById(part);
        cancel.disabled = true;
        place.dataset.load = part;
        load(place, { stop: 1 });
        return;
      }
      const before = cancel.closest("p");
      const again = document.createElement("button");
      again.type = "button";
      again.className = "button";
      again.textContent = "Go on";
      again.addEventListener("click", () => {
        const place = document.getElementById(part);
        place.dataset.load = part;
        stopped.replaceWith(before);
        cancel.focus({ preventScroll: true });
        load(place);
      });
      const stopped = document.createElement("p");
      stopped.append("Cancelled; what was found so far stays. ", again);
      before.replaceWith(stopped);
      again.focus({ preventScroll: true });
      return;
    }
    const more = event.target.closest("[data-loads]");
    if (more) {
      const place = document.getElementById(more.dataset.loads);
      place.dataset.load = more.dataset.loads;
      more.disabled = true;
      load(place);
      return;
    }
    const link = event.target.closest("a[href]");
    if (!link || link.hasAttribute("download") || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const to = new URL(link.href, location.href);
    const here = to.pathname === location.pathname && to.search === location.search && to.hash;
    if (to.origin !== location.origin || here) return;
    event.preventDefault();
    go(to, true).then((done) => {
      if (!done) return;
      const aim = to.hash && document.getElementById(`${to.hash.slice(1)}-heading`);
      if (aim) aim.scrollIntoView();
      else if (to.pathname !== url.pathname) scrollTo(0, 0);
      url.href = to.href;
    });
  });
  document.addEventListener("pointerover", lookLater);
  document.addEventListener("focusin", lookLater);
  addEventListener("popstate", () => go(new URL(location.href), false));
  loadParts(document);
})();
