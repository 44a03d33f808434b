// The page's own script: theme, sortable tables, context curves, cost over time. Data stands in #data; nothing is fetched.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const count = new Intl.NumberFormat("en-US");
  const tokens = (n) => (n == null ? "-" : count.format(n));
  const requests = (n) => `${count.format(n)} request${n === 1 ? "" : "s"}`;
  const dollars = (n) => (n == null ? "no price" : "$" + n.toFixed(Math.abs(n) >= 0.1 || n === 0 ? 2 : Math.min(12, Math.max(4, 1 - Math.floor(Math.log10(Math.abs(n)))))));
  const short = (n) => (n >= 1e6 ? +(n / 1e6).toFixed(2) + "M" : n >= 1e3 ? +(n / 1e3).toFixed(1) + "k" : String(+n.toFixed(2)));
  const clock = new Intl.DateTimeFormat("sv-SE", { timeZone: data.zone, dateStyle: "short", timeStyle: "medium" });
  const time = (seconds) => (seconds == null ? "time unknown" : clock.format(new Date(seconds * 1000)));
  const redraws = [];

  // Theme: the system's until the button is used.
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const button = byId("theme");
  const tell = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Use the light theme" : "Use the dark theme");
    button.setAttribute("aria-pressed", String(dark()));
    redraws.forEach((draw) => draw());
  };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; tell(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);

  // Tables: every header is a button; unknown values stay last in both directions.
  const key = (row, column) => {
    const cell = row.cells[column];
    const raw = cell.dataset.v === undefined ? cell.textContent : cell.dataset.v;
    if (raw === "") return null;
    return cell.classList.contains("num") && !Number.isNaN(Number(raw)) ? Number(raw) : raw;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  const sort = (table, column) => {
    const head = table.tHead.rows[0].cells;
    const numeric = head[column].classList.contains("num");
    const before = head[column].getAttribute("aria-sort");
    const up = before ? before === "descending" : !numeric;
    for (const cell of head) cell.removeAttribute("aria-sort");
    head[column].setAttribute("aria-sort", up ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows].map((row) => [key(row, column), row]);
    rows.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : up ? compare(a, b) : compare(b, a)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table")) {
    [...table.tHead.rows[0].cells].forEach((cell, column) => {
      if (!cell.textContent.trim()) return;
      const press = document.createElement("button");
      press.type = "button";
      press.textContent = cell.textContent;
      press.addEventListener("click", () => sort(table, column));
      cell.replaceChildren(press);
    });
  }

  const axes = (values, x) => [
    { stroke: colour("--ink"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, ...x },
    { stroke: colour("--ink"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, size: 58, values },
  ];
  const width = (place) => Math.max(240, Math.floor(place.getBoundingClientRect().width));
  const height = () => (innerWidth < 600 ? 260 : 340);
  const follow = (place, get) => new ResizeObserver(() => {
    const chart = get();
    if (chart && chart.width !== width(place)) chart.setSize({ width: width(place), height: height() });
  }).observe(place);
  // Arrow keys move the cursor as a pointer would.
  const keys = (place, get) => {
    place.addEventListener("keydown", (event) => {
      const chart = get();
      const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
      if (!chart || by === undefined) return;
      event.preventDefault();
      const last = chart.data[0].length - 1;
      const at = Math.min(last, Math.max(0, (chart.cursor.idx ?? -1) + by));
      chart.setCursor({ left: chart.valToPos(chart.data[0][at], "x"), top: chart.over.clientHeight / 2 });
    });
  };

  const sessions = data.sessions;
  if (sessions.length) curves();
  if (data.days) overTime();
  tell();

  function curves() {
    const place = byId("chart"), pickSession = byId("session"), pickThread = byId("thread"), readout = byId("readout");
    let chart = null;
    const option = (select, text, value) => select.add(new Option(text, value));
    sessions.forEach((s, i) => {
      const label = [time(s.started).slice(0, 16), s.project, s.id, requests(s.requests)];
      option(pickSession, label.filter(Boolean).join(" · "), i);
    });
    const session = () => sessions[pickSession.value];
    const name = (thread) => (thread.agent ? `${thread.name} ${thread.agent}` : thread.name);
    const chosen = () => (pickThread.value === "all" ? session().threads : [session().threads[pickThread.value]]);
    const listThreads = () => {
      pickThread.replaceChildren();
      session().threads.forEach((t, i) => option(pickThread, `${name(t)} · ${requests(t.step.length)}`, i));
      if (session().threads.length > 1) option(pickThread, `all ${session().threads.length} threads`, "all");
    };
    const say = (thread, i) => {
      const parts = [name(thread), `request ${thread.step[i]}`, time(thread.at[i]), `context ${tokens(thread.context[i])}`,
        `cache read ${tokens(thread.read[i])}`, `cache write ${tokens(thread.write[i])}`, `output ${tokens(thread.output[i])}`];
      if (thread.usd) parts.push(dollars(thread.usd[i]));
      if (thread.model) parts.push(thread.model);
      readout.textContent = parts.join(" · ");
    };
    const idle = (threads) => {
      const peak = threads.reduce((m, t) => t.context.reduce((a, b) => Math.max(a, b), m), 0);
      readout.textContent = `${threads.length === 1 ? name(threads[0]) : threads.length + " threads"} · peak context ${tokens(peak)} tokens`;
    };
    const marks = (threads, top) => (threads[0].marks || []).filter(([at]) => at <= 2 * top);
    const roomy = (u) => u.bbox.width / (u.scales.x.max - u.scales.x.min) > 4 * devicePixelRatio;
    const lines = (threads, top) => ({ ctx, bbox, valToPos }, u) => {
      ctx.save();
      ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.textAlign = "left";
      ctx.textBaseline = "alphabetic";
      ctx.lineWidth = devicePixelRatio;
      ctx.strokeStyle = ctx.fillStyle = colour("--mark");
      let free = Infinity;
      for (const [at, label, line] of marks(threads, top).slice().sort((a, b) => b[0] - a[0])) {
        const y = Math.round(u.valToPos(at, "y", true));
        ctx.setLineDash(({ 1: [8, 4], 2: [2, 3], 3: [10, 3, 2, 3] }[line] || []).map((n) => n * devicePixelRatio));
        ctx.beginPath(); ctx.moveTo(bbox.left, y); ctx.lineTo(bbox.left + bbox.width, y); ctx.stroke();
        const base = Math.abs(free - y) < 15 * devicePixelRatio ? y + 14 * devicePixelRatio : y - 4 * devicePixelRatio;
        ctx.fillText(`${threads.length > 1 ? `${threads[0].name}: ` : ""}${label} (${short(at)})`, bbox.left + 6 * devicePixelRatio, base);
        free = y;
      }
      ctx.strokeStyle = colour("--quiet");
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      const crowded = threads[0].compacted.length * 8 * devicePixelRatio > bbox.width;  // then ticks at the top, no lines
      for (const after of threads.length === 1 ? threads[0].compacted : []) {
        const steps = threads[0].step;
        const x = Math.round(u.valToPos((steps[Math.max(0, after - 1)] || 0) + 0.5, "x", true));
        ctx.beginPath(); ctx.moveTo(x, bbox.top); ctx.lineTo(x, bbox.top + (crowded ? 10 * devicePixelRatio : bbox.height)); ctx.stroke();
      }
      ctx.restore();
    };
    const draw = () => {
      if (chart) chart.destroy();
      const threads = chosen();
      const many = threads.length > 1;
      const longest = Math.max(...threads.map((t) => t.step[t.step.length - 1]));
      const xs = Array.from({ length: longest }, (_, i) => i + 1);
      const index = threads.map((t) => { const at = new Array(longest).fill(null); t.step.forEach((s, i) => { at[s - 1] = i; }); return at; });
      const ys = threads.map((t, n) => index[n].map((i) => (i === null ? null : t.context[i])));
      const top = threads.reduce((m, t) => t.context.reduce((a, b) => Math.max(a, b), m), 1);
      const ceiling = 1.12 * Math.max(top, ...marks(threads, top).map(([at]) => at));
      // The line breaks at a compaction, unless requests stand closer than the break is wide.
      const breaks = (thread) => (u, _s, from, to, gaps) => gaps.concat((roomy(u) ? thread.compacted : [])
        .map((after) => [thread.step[after - 1], thread.step[after]])
        .filter(([a, b]) => a && b && a - 1 >= from && b - 1 <= to)
        .map(([a, b]) => [u.valToPos(a, "x", true) - 1, u.valToPos(b, "x", true) + 1]))
        .sort(([a], [b]) => a - b);
      chart = new uPlot({
        width: width(place), height: height(), legend: { show: false },
        cursor: { focus: { prox: many ? 24 : 1e9 }, drag: { x: true, y: false }, points: { size: 9 } },
        focus: { alpha: many ? 0.25 : 1 },
        scales: { x: { time: false, range: (_u, a, b) => (a === b ? [a - 1, b + 1] : [a - 0.5, b + 0.5]) }, y: { range: [0, ceiling] } },
        axes: axes((_u, ticks) => ticks.map(short), {
          label: "request", labelSize: 22, values: (_u, ticks) => ticks.map((v) => (v >= 1 ? count.format(v) : "")), incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000],
        }),
        series: [{}, ...threads.map((t) => ({
          label: name(t), stroke: colour(t.agent ? "--agent" : "--main"), width: t.agent && many ? 1.2 : 2,
          points: { show: t.step.length <= 60 && !many || t.step.length === 1, size: 5 }, gaps: breaks(t),
        }))],
        hooks: {
          draw: [(u) => lines(threads, top)(u, u)],
          setCursor: [(u) => {
            const at = u.cursor.idx;
            if (at == null) return idle(threads);
            const y = u.posToVal(u.cursor.top, "y");
            let best = null;
            threads.forEach((t, n) => {
              const i = index[n][at];
              if (i !== null && (best === null || Math.abs(t.context[i] - y) < Math.abs(best[0].context[best[1]] - y))) best = [t, i];
            });
            return best ? say(best[0], best[1]) : idle(threads);
          }],
        },
      }, [xs, ...ys], place);
      idle(threads);
    };
    pickSession.addEventListener("change", () => { listThreads(); draw(); });
    pickThread.addEventListener("change", draw);
    redraws.push(draw);
    listThreads();
    follow(place, () => chart);
    keys(place, () => chart);
  }

  function overTime() {
    const { days, kinds, period } = data.days;
    const place = byId("days"), readout = byId("days-readout"), list = byId("days-key");
    let chart = null;
    kinds.forEach(({ name }, i) => {
      const item = document.createElement("li"), swatch = document.createElement("i");
      swatch.style.background = `var(--k${i % 7})`;
      item.append(swatch, name);
      list.append(item);
    });
    const xs = days.map((_, i) => i);
    const sums = [];
    kinds.forEach(({ usd }, n) => sums.push(usd.map((v, i) => v + (n ? sums[n - 1][i] : 0))));
    const draw = () => {
      if (chart) chart.destroy();
      const paid = sums[sums.length - 1].filter((usd) => usd > 0).length;
      const idle = () => { readout.textContent = `${count.format(paid)} ${period}${paid === 1 ? "" : "s"} with a priced request`; };
      chart = new uPlot({
        width: width(place), height: height(), legend: { show: false }, cursor: { drag: { x: false }, points: { show: false } },
        scales: { x: { time: false, range: [-0.7, days.length - 0.3] }, y: { range: (_u, _a, b) => [0, (b || 1) * 1.08] } },
        axes: axes((_u, ticks) => ticks.map((v) => "$" + (v < 1 ? +v.toPrecision(3) : +v.toFixed(4))), {
          incrs: [1, 2, 5, 7, 14, 28, 56, 112, 365], space: 78, values: (_u, ticks) => ticks.map((i) => days[i] ?? ""),
        }),
        // The tallest sum is drawn first, so that every bar shows its own part.
        series: [{}, ...sums.map((_, n) => kinds.length - 1 - n).map((n) => ({
          label: kinds[n].name, fill: colour(`--k${n % 7}`), stroke: colour("--page"), width: 1, points: { show: false },
          paths: uPlot.paths.bars({ size: [0.8, 60] }),
        }))],
        hooks: { setCursor: [(u) => {
          const i = u.cursor.idx;
          if (i == null) return idle();
          const parts = kinds.filter(({ usd }) => usd[i] > 0).map(({ name, usd }) => `${name} ${dollars(usd[i])}`);
          readout.textContent = [days[i], `total ${dollars(sums[sums.length - 1][i])}`, ...parts].join(" · ");
        }] },
      }, [xs, ...sums.slice().reverse()], place);
      idle();
    };
    redraws.push(draw);
    follow(place, () => chart);
    keys(place, () => chart);
  }
})();
