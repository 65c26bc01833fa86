// A solution as the page shows it: which expression grew at which step, by which query, and from what.

import { around } from "./words.js";

const COLOURS = 8; // in the style sheet

export class Growth {
  constructor(solution) {
    this.solution = solution;
    this.characters = [...solution.problem]; // the service counts code points, JavaScript UTF-16 units
    this.numbers = new Map(solution.numbers.map((number) => [number.id, number]));
    this.expressions = new Map(solution.layers.flat().map((expression) => [expression.id, { ...expression }]));
    this.steps = solution.trace?.steps ?? [];
    this.length = this.steps.length || solution.layers.length; // a plain calculation has layers but no trace
    this.queries = this.steps[0]?.length ?? 0;
    solution.layers.forEach((layer, index) => layer.forEach(({ id }) => (this.expressions.get(id).step = index + 1)));
    this.steps.forEach((queries, step) =>
      queries.forEach((query, index) => {
        const expression = this.expressions.get(query.kept);
        if (expression && expression.query === undefined) {
          Object.assign(expression, { step: step + 1, query: index });
        }
      }),
    );
    const last = solution.layers.at(-1)?.[0];
    this.root = last ? last.id : (solution.numbers[0]?.id ?? solution.answer);
  }

  /** The trace of a query at a step, or undefined if there is no trace. */
  thought(step, query) {
    return this.steps[step - 1]?.[query];
  }

  /** The value of an operand, as people write it. */
  value(operand) {
    return this.numbers.get(operand)?.value ?? this.expressions.get(operand)?.answer ?? operand;
  }

  /** An expression, or a query's likeliest proposal, as text: "3 × 12". */
  written({ left, operator, right }) {
    const [before, between, after] = around(operator);
    return `${before}${this.value(left)}${between}${this.value(right)}${after}`;
  }

  /** A number has its own colour; a result has the colours of all its numbers, left to right. */
  colours(operand) {
    const expression = this.expressions.get(operand);
    if (expression) return [...new Set([...this.colours(expression.left), ...this.colours(expression.right)])];
    return [this.numbers.has(operand) ? `var(--number-${Number(operand.slice(1)) % COLOURS})` : "var(--constant)"];
  }

  /** A query's attention to each token of the text, scaled from 0 (least) to 1 (most). */
  heat(thought) {
    const { spans } = this.solution.trace;
    const seen = spans.flatMap((span, token) => (span ? [{ span, cosine: thought.similarity[token] }] : []));
    const cosines = seen.map(({ cosine }) => cosine);
    const least = Math.min(...cosines);
    const range = Math.max(...cosines) - least || 1;
    return seen.map(({ span, cosine }) => ({ span, heat: (cosine - least) / range }));
  }

  /** The words with the most attention from a query, in the order of the text. */
  words(thought, count = 4) {
    const best = this.heat(thought)
      .map(({ span: [start, end], heat }) => ({ start, heat, word: this.characters.slice(start, end).join("").trim() }))
      .filter(({ word }) => /[\p{L}\p{N}]/u.test(word))
      .sort((one, other) => other.heat - one.heat)
      .slice(0, count)
      .sort((one, other) => one.start - other.start);
    return [...new Set(best.map(({ word }) => word))];
  }
}
