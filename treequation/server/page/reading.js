// The problem's text, with its numbers marked and a query's attention highlighted.

import { html, paint } from "./elements.js";

/** Cuts the text where numbers and tokens begin and end, so that each piece can be highlighted. */
export function showText(place, growth) {
  const { solution, characters } = growth;
  const cuts = new Set([0, characters.length]);
  for (const { start, end } of solution.numbers) cuts.add(start).add(end);
  for (const span of solution.trace?.spans ?? []) {
    if (span) cuts.add(span[0]).add(span[1]);
  }
  const ordered = [...cuts].sort((one, other) => one - other);
  place.replaceChildren();
  let mark = null;
  ordered.slice(0, -1).forEach((start, index) => {
    const text = characters.slice(start, ordered[index + 1]).join("");
    const number = solution.numbers.find((each) => each.start <= start && start < each.end);
    if (!number) {
      place.append(html("span", { "data-start": start }, text));
    } else if (mark?.dataset.operand === number.id) {
      mark.append(text);
    } else {
      const attributes = { "data-operand": number.id, "data-start": start, title: number.value };
      mark = paint(html("mark", attributes, text), growth.colours(number.id));
      place.append(mark);
    }
  });
}

/** Highlights the words by a query's attention; without a query, clears the highlights. */
export function warm(place, growth, thought) {
  const pieces = [...place.querySelectorAll("[data-start]")];
  for (const piece of pieces) piece.style.removeProperty("--heat");
  if (!thought) return;
  for (const { span, heat } of growth.heat(thought)) {
    for (const piece of pieces) {
      const start = Number(piece.dataset.start);
      if (span[0] <= start && start < span[1]) {
        const known = Number(piece.style.getPropertyValue("--heat") || 0);
        // Squared, so that the few words that matter stand out.
        piece.style.setProperty("--heat", Math.max(known, heat * heat).toFixed(3));
      }
    }
  }
}
