// Plays the growth of the tree, automatically or one step at a time.

import { find, html } from "./elements.js";

const PAUSE = 1400; // milliseconds per step

export class Player {
  #show;
  #timer = null;

  constructor(show) {
    this.#show = show;
    this.step = 0;
    this.steps = 0;
    find("first").addEventListener("click", () => this.stopAt(0));
    find("back").addEventListener("click", () => this.stopAt(this.step - 1));
    find("next").addEventListener("click", () => this.stopAt(this.step + 1));
    find("play").addEventListener("click", () => (this.playing ? this.pause() : this.play()));
  }

  get playing() {
    return this.#timer !== null;
  }

  load(steps) {
    this.pause();
    this.steps = steps;
    find("dots").replaceChildren(...Array.from({ length: steps + 1 }, () => html("li")));
  }

  stopAt(step) {
    this.pause();
    this.#go(step);
  }

  play() {
    if (this.step >= this.steps) this.#go(0);
    this.#timer = setInterval(() => {
      this.#go(this.step + 1);
      if (this.step >= this.steps) this.pause();
    }, PAUSE);
    this.#go(this.step);
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#go(this.step);
  }

  #go(step) {
    this.step = Math.max(0, Math.min(step, this.steps));
    [...find("dots").children].forEach((dot, index) => {
      dot.classList.toggle("past", index <= this.step);
      dot.classList.toggle("here", index === this.step);
    });
    // The focused button stays enabled, or keyboard users would lose their place.
    for (const [id, off] of [["first", this.step === 0], ["back", this.step === 0], ["next", this.step === this.steps]]) {
      find(id).setAttribute("aria-disabled", String(off));
    }
    find("play").classList.toggle("playing", this.playing);
    this.#show(this.step, this.playing);
  }
}
