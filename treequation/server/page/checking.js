// The field for a pupil's equation: asks the service, and shows its verdict in the page's language.

import { check, Refusal } from "./asking.js";
import { find, html } from "./elements.js";

/** The verdict on an equation, as a list of sentences. */
function sentences(checked, words) {
  const { verdict, difference, unsure } = checked;
  const said = [];
  if (difference) {
    const { place, step, pupil, model } = difference;
    said.push(words.places[place](step, pupil, model));
    if (model && place !== "result") said.push(place === "end" ? words.goesOn(model) : words.instead(model));
  } else if (verdict !== "right") {
    said.push(words.sameAs[verdict](checked.model_equation));
  }
  if (checked.strange.length) said.push(words.strange(checked.strange.join(words.and)));
  if (unsure) said.push(words.modelUnsure(checked.model_equation, words.share(checked.confidence)));
  if (unsure && checked.also_thought_of) said.push(words.alsoThoughtOf);
  return said;
}

export class Checking {
  #asking = null;
  #checked = null;
  #refused = null;

  /** `problem` and `words` return the page's current problem and texts. */
  constructor(problem, words) {
    this.problem = problem;
    this.words = words;
    find("check").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** Clears the field for another problem. */
  clear() {
    this.#asking?.abort();
    this.#checked = this.#refused = null;
    find("pupil").value = "";
    this.show();
  }

  async #submit() {
    this.#asking?.abort();
    const mine = (this.#asking = new AbortController());
    this.#checked = this.#refused = null;
    try {
      this.#checked = await check(this.problem(), find("pupil").value, find("key").value.trim(), mine.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Refusal)) throw error;
      this.#refused = error;
      find("pupil").focus();
    }
    this.show();
  }

  show() {
    const words = this.words();
    const [checked, refused] = [this.#checked, this.#refused];
    find("pupil").setAttribute("aria-invalid", String(Boolean(refused)));
    find("pupil-error").hidden = !refused;
    find("pupil-error").textContent = refused ? refused.inWords(words) : "";
    const parts = [];
    if (checked) {
      const kind = checked.verdict === "wrong" && checked.unsure && checked.difference.place !== "result" ? "differs" : checked.verdict;
      const equation = `${checked.equation}${checked.answer.startsWith("≈") ? " " : " = "}${checked.answer}`;
      const verdict = html("strong", { class: kind }, words.verdicts[kind]);
      parts.push(html("p", { class: "head" }, verdict, " ", html("span", { class: "equation" }, equation)));
      parts.push(...sentences(checked, words).map((each) => html("p", {}, each)));
    }
    find("verdict").replaceChildren(...parts);
  }
}
