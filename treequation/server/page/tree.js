// Draws the tree: numbers on top, each step below those that it needs, the answer at the bottom.

import { paint, svg } from "./elements.js";

const GAP = 20;
const MARGIN = 12;
const LEAF = 34; // height of a number
const NODE = 58; // height of an expression
const RISE = 46; // between rows
const CLEARANCE = 14; // between a box and an edge that passes it
const SCALE = 1.2; // of the drawing, if there is room
const LABEL = 54; // room for the steps' names

const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

function width(text) {
  canvas.font = `600 17px ${getComputedStyle(document.body).fontFamily}`;
  return Math.max(44, canvas.measureText(text).width + 28);
}

/** Shortens a long number to its beginning and end. */
export function shortened(text) {
  return text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`;
}

/** Boxes row by row: one for each use of a number, in the order of use; one for each expression. */
function boxes(growth) {
  const rows = [];
  const made = new Map();
  const placed = (box) => {
    (rows[box.row] ??= []).push(box);
    return box;
  };
  const boxOf = (operand) => {
    const expression = growth.expressions.get(operand);
    if (!expression) {
      const text = shortened(growth.value(operand));
      return placed({ operand, text, row: 0, operands: [], width: width(text), height: LEAF });
    }
    if (made.has(operand)) return made.get(operand);
    const operands = [boxOf(expression.left), boxOf(expression.right)];
    const text = shortened(expression.answer);
    const sum = growth.written({ ...expression, left: operands[0].text, right: operands[1].text });
    const box = { operand, expression, text, sum, row: expression.step, operands, height: NODE };
    box.width = Math.max(width(text), 0.85 * width(sum));
    made.set(operand, box);
    return placed(box);
  };
  boxOf(growth.root);
  return rows;
}

/** Centres each box under its operands, without overlapping its neighbours. */
function place(rows) {
  let down = MARGIN;
  for (const row of rows) {
    if (!row) continue; // a step whose expressions the answer does not need
    for (const box of row) {
      if (box.operands.length) box.x = (box.operands[0].x + box.operands[1].x) / 2;
      else box.x = 0;
      box.y = down;
    }
    let end = -Infinity;
    for (const box of [...row].sort((one, other) => one.x - other.x)) {
      box.x = Math.max(box.x, end === -Infinity ? box.x : end + GAP + box.width / 2);
      end = box.x + box.width / 2;
    }
    down += (row[0].height ?? NODE) + RISE;
  }
  return down - RISE + MARGIN;
}

/** Where an edge passes the rows in between: straight down, or beside a box that is in the way. */
function lane(from, to, rows) {
  let x = from.x;
  for (const box of rows.slice(from.row + 1, to.row).flat()) {
    const half = box.width / 2 + CLEARANCE;
    if (Math.abs(x - box.x) < half) x = x <= box.x ? box.x - half : box.x + half;
  }
  return x;
}

/** The strands of an edge, one for each number that flows from one box into another. */
function strands(from, to, growth, rows) {
  const colours = growth.colours(from.operand);
  const thickness = Math.min(2.5, 14 / colours.length);
  const start = from.y + from.height;
  const bend = Math.max(start, to.y - RISE);
  const curve = (x, y, end, down) => `C${x} ${(y + down) / 2} ${end} ${(y + down) / 2} ${end} ${down}`;
  const past = bend > start ? lane(from, to, rows) : from.x;
  const side = Math.sign(past - to.x) * Math.min(10, to.width / 6); // keep two edges from meeting in one point
  return colours.map((colour, index) => {
    const aside = (index - (colours.length - 1) / 2) * thickness;
    const [x, between, end] = [from.x, past, to.x + side].map((place) => place + aside);
    const down = x === between ? "" : curve(x, start, between, start + RISE);
    const d = `M${x} ${start}${down}V${bend}${curve(between, bend, end, to.y)}`;
    return paint(svg("path", { class: "edge", "data-step": to.row, pathLength: 1, d, "stroke-width": thickness }), [colour]);
  });
}

export function drawTree(growth, words) {
  const rows = boxes(growth);
  const height = place(rows);
  const all = rows.flat();
  const left = Math.min(...all.map((box) => box.x - box.width / 2)) - MARGIN - (rows.length > 1 ? LABEL : 0);
  const right = Math.max(...all.map((box) => box.x + box.width / 2)) + MARGIN;
  const image = svg("svg", {
    viewBox: `${left} 0 ${right - left} ${height}`,
    role: "group",
    "aria-label": words.drawing,
  });
  image.style.setProperty("--natural", `${Math.ceil(SCALE * (right - left))}px`);
  rows.forEach((row, step) => {
    if (!step || !row) return;
    const middle = row[0].y + row[0].height / 2;
    image.append(svg("text", { class: "layer", "data-step": step, x: left + 4, y: middle + 4 }, words.layer(step)));
  });
  const edges = svg("g", { class: "edges" });
  const nodes = svg("g", { class: "nodes" });
  for (const box of all) {
    for (const operand of box.operands) edges.append(...strands(operand, box, growth, rows));
    nodes.append(node(box, growth, words));
  }
  image.append(edges, nodes);
  return image;
}

function node(box, growth, words) {
  const { operand, expression, x, y } = box;
  const isAnswer = operand === growth.root;
  const shape = svg("rect", { x: x - box.width / 2, y, width: box.width, height: box.height, rx: 9 });
  const colours = growth.colours(operand);
  const stripe = (box.width - 20) / colours.length;
  const stripes = colours.map((colour, index) =>
    paint(svg("rect", { class: "stripe", x: x - box.width / 2 + 10 + index * stripe, y: y + box.height - 6, width: stripe, height: 2.5 }), [colour]),
  );
  const lines = expression
    ? [
        svg("text", { class: "sum", x, y: y + 19 }, box.sum),
        svg("text", { class: "result", x, y: y + 42 }, box.text),
      ]
    : [svg("text", { class: "result", x, y: y + 23 }, box.text)];
  const drawn = svg(
    "g",
    {
      class: `node${expression ? " expression" : " leaf"}${isAnswer ? " whole" : ""}`,
      "data-step": box.row,
      "data-operand": operand,
      ...(expression && {
        ...(expression.query === undefined ? { role: "img" } : { role: "button", tabindex: 0, "aria-pressed": "false" }),
        "aria-label": `${words.layer(box.row)}: ${growth.written(expression)} = ${expression.answer}`,
      }),
    },
    shape,
    ...lines,
    ...(expression ? stripes : []),
  );
  return paint(drawn, colours);
}

/** Shows what has grown by the end of a step. */
export function growTo(image, step) {
  for (const part of image.querySelectorAll("[data-step]")) {
    const own = Number(part.dataset.step);
    part.classList.toggle("grown", own <= step);
    part.classList.toggle("fresh", own === step && step > 0);
    if (part.getAttribute("role") === "button") part.setAttribute("tabindex", own <= step ? 0 : -1);
  }
}

/** A colour in a notation that every SVG reader knows. */
function plain(colour) {
  if (!colour || colour === "none") return colour;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}

/** The drawing as a standalone file, with its colours as displayed. */
export function asFile(image) {
  const copy = image.cloneNode(true);
  const originals = [image, ...image.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((part, index) => {
    const seen = getComputedStyle(originals[index]);
    for (const name of ["fill", "stroke"]) part.setAttribute(name, plain(seen.getPropertyValue(name)));
    for (const name of ["stroke-width", "font-family", "font-size", "font-weight", "text-anchor"]) {
      part.setAttribute(name, seen.getPropertyValue(name));
    }
    for (const name of ["class", "style", "tabindex", "role", "aria-pressed", "data-step", "data-operand"]) {
      part.removeAttribute(name);
    }
  });
  const [, , width, height] = image.getAttribute("viewBox").split(" ");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}
