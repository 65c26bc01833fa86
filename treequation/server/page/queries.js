// The queries of one step: what each proposed, and which proposal None.

import { html, paint } from "./elements.js";

export function showQueries(title, list, growth, step, words) {
  const queries = growth.steps[step - 1];
  list.parentElement.hidden = !growth.queries; // a plain calculation has none
  if (!queries) {
    title.textContent = words.queriesBefore(growth.queries);
    list.replaceChildren(...Array.from({ length: growth.queries }, (_, index) => row(index, "", "waiting")));
    return;
  }
  const kept = queries.filter((query) => query.kept !== null).length;
  title.textContent = words.queries(step, queries.length, kept);
  list.replaceChildren(...queries.map((query, index) => proposalRow(growth, step, index, query, words)));
}

function row(index, content, kind) {
  const number = html("span", { class: "number", "aria-hidden": "true" }, String(index + 1));
  return html("li", { class: kind }, number, content);
}

function proposalRow(growth, step, index, query, words) {
  const [best] = query.operator;
  const share = html("span", { class: "share" }, words.share(best.probability));
  if (query.kept === null && best.operator === null) {
    return row(index, html("span", { class: "proposal" }, words.none, share), "none");
  }
  const expression = growth.expressions.get(query.kept);
  const proposal = expression ?? { left: query.left[0].operand, operator: best.operator, right: query.right[0].operand };
  const text = growth.written(proposal) + (expression ? ` = ${expression.answer}` : "");
  const why = query.kept === null ? words.repeated : expression ? null : words.unneeded;
  const button = html(
    "button",
    { type: "button", class: "proposal", "data-step": step, "data-query": index, "aria-pressed": "false", title: why },
    text,
    share,
    why && html("span", { class: "unseen" }, ` (${why})`),
  );
  if (expression) paint(button, growth.colours(expression.id));
  return row(index, button, expression ? "kept" : "dropped");
}
