// The field for a pupil's equation: asks the service, and shows its verdict, which is in the problem's language.

import { check, Refusal } from "./service.js";
import { find, html } from "./elements.js";

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
    const [checked, refused] = [this.#checked, this.#refused];
    find("pupil").setAttribute("aria-invalid", String(Boolean(refused)));
    find("pupil-error").hidden = !refused;
    find("pupil-error").textContent = refused ? refused.inWords(this.words()) : "";
    const parts = [];
    if (checked) {
      const kind = checked.verdict === "wrong" && checked.unsure && checked.difference.place !== "result" ? "differs" : checked.verdict;
      const equation = `${checked.equation}${checked.answer.startsWith("≈") ? " " : " = "}${checked.answer}`;
      const [verdict, ...reasons] = checked.messages;
      const head = [html("strong", { class: kind }, verdict), html("span", { class: "equation" }, equation)];
      parts.push(html("p", { class: "head" }, ...head));
      parts.push(...reasons.map((reason) => html("p", {}, reason)));
    }
    find("verdict").lang = find("text").lang;
    find("verdict").replaceChildren(...parts);
  }
}
