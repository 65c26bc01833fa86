// Creates HTML and SVG elements. Text is inserted as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function html(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

export function find(id) {
  return document.getElementById(id);
}

/** Sets an element's colour, or several colours: as a blend, and as stripes side by side. */
export function paint(made, colours) {
  const blend = colours.reduce((mixed, colour, index) => `color-mix(in oklab, ${mixed}, ${colour} ${100 / (index + 1)}%)`);
  const share = 100 / colours.length;
  const stripes = colours.map((colour, index) => `${colour} ${index * share}% ${(index + 1) * share}%`);
  made.style.setProperty("--own", blend);
  made.style.setProperty("--stripes", `linear-gradient(90deg, ${stripes.join(", ")})`);
  return made;
}
