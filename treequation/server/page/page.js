// The page: takes a problem, shows its solution, and lets the user explore it.

import { Refusal, solve } from "./service.js";
import { Checking } from "./checking.js";
import { linkedProblem, linkTo, offerCopies } from "./copies.js";
import { find, html, paint } from "./elements.js";
import { Growth } from "./growth.js";
import { Player } from "./player.js";
import { showQueries } from "./queries.js";
import { showText, warm } from "./reading.js";
import { drawTree, growTo, shortened } from "./tree.js";
import { around, EXAMPLES, WORDS } from "./words.js";

const LANGUAGE = "treequation language"; // the key in local storage
const still = matchMedia("(prefers-reduced-motion: reduce)");

let language = "en";
let words = WORDS.en;
let growth = null;
let image = null;
let chosen = null; // the query that was clicked, which stays when the pointer leaves
let refused = null;
let asking = null;

const player = new Player(showStep);
const checking = new Checking(() => growth.solution.problem, () => words);

// Language

function kept() {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null; // the browser may forbid local storage
  }
}

function speak(which) {
  language = which;
  words = WORDS[language];
  document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";
  document.title = language === "zh" ? "Treequation：应用题变成一棵树" : "Treequation";
  for (const part of document.querySelectorAll("[data-word]")) part.textContent = words[part.dataset.word];
  for (const part of document.querySelectorAll("[data-label]")) part.setAttribute("aria-label", words[part.dataset.label]);
  for (const part of document.querySelectorAll("[data-title]")) title(part, words[part.dataset.title]);
  for (const part of document.querySelectorAll("[data-placeholder]")) part.placeholder = words[part.dataset.placeholder];
  for (const button of document.querySelectorAll("[data-language]")) {
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
  }
  offerExamples();
  if (refused) explain(refused);
  if (growth) show(player.step);
  checking.show();
}

function title(part, text) {
  part.title = text;
  part.setAttribute("aria-label", text);
}

function offerExamples() {
  const groups = ["en", "zh"].sort((one) => (one === language ? -1 : 1)).map((which) => {
    const name = html("span", { class: "name", lang: which }, which === "en" ? "English" : "中文");
    const buttons = EXAMPLES.filter(([own]) => own === which).map(([own, kind, problem]) => {
      const button = html("button", { type: "button", class: "quiet", lang: own }, WORDS[own][kind]);
      button.addEventListener("click", () => {
        find("problem").value = problem;
        submit();
      });
      return button;
    });
    return html("div", {}, name, ...buttons);
  });
  find("examples").replaceChildren(...groups);
}

// Asking

async function submit() {
  asking?.abort();
  const mine = (asking = new AbortController());
  explain(null);
  busy(true);
  try {
    const solution = await solve(find("problem").value, find("key").value.trim(), mine.signal);
    history.replaceState(null, "", linkTo(solution.problem));
    growth = new Growth(solution);
    chosen = null;
    checking.clear();
    show(still.matches ? growth.length : 0);
    if (!still.matches) player.play();
    find("news").textContent = words.news(solution.shown, solution.equation, words.share(solution.confidence));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof Refusal)) throw error;
    explain(error);
  } finally {
    if (asking === mine) busy(false);
  }
}

function busy(is) {
  find("solve").classList.toggle("busy", is);
  find("ask").setAttribute("aria-busy", String(is));
}

/** Shows an error at the field that it concerns. */
function explain(refusal) {
  refused = refusal;
  find("news").textContent = ""; // an alert announces the error, so clear the last answer
  if (refusal?.status === 401) find("key-row").hidden = false;
  const at = !refusal ? null : refusal.status === 401 ? "key" : refusal.field === "problem" ? "problem" : "";
  for (const [field, place] of [["problem", "problem-error"], ["key", "key-error"], ["", "error"]]) {
    const isHere = at === field;
    find(place).hidden = !isHere;
    find(place).textContent = isHere ? refusal.inWords(words) : "";
    if (field) find(field).setAttribute("aria-invalid", String(isHere));
  }
  if (at) find(at).focus();
  if (refusal) {
    growth = null;
    player.pause();
    find("result").hidden = true;
  }
}

// Showing

function show(step) {
  const { solution } = growth;
  const share = words.share(solution.confidence);
  find("result").hidden = false;
  const fraction = solution.fraction ? ` = ${solution.fraction}` : "";
  find("answer").textContent = solution.shown;
  find("equation").textContent = `${solution.equation}${solution.answer.startsWith("≈") ? " " : " = "}${solution.answer}${fraction}`;
  const bar = html("span", { class: "bar", "aria-hidden": "true" }, html("span"));
  bar.firstChild.style.width = `${100 * solution.confidence}%`;
  find("confidence").replaceChildren(bar, words.sure(share), solution.unsure ? html("strong", {}, words.unsure) : "");
  find("text").lang = /\p{Script=Han}/u.test(solution.problem) ? "zh" : "en";
  showText(find("text"), growth);
  image = drawTree(growth, words);
  find("canvas").replaceChildren(image);
  find("others").hidden = !(solution.unsure && solution.alternatives.length);
  find("alternatives").replaceChildren(
    ...solution.alternatives.map((other) =>
      html("li", {}, html("strong", {}, other.answer), ` ${other.equation} `, html("small", {}, words.share(other.confidence))),
    ),
  );
  find("words").lang = find("text").lang;
  find("words").replaceChildren(...solution.steps.map((each) => html("li", {}, each.replace(/^\d+\.\s*/, ""))));
  find("model").textContent = solution.model ? words.model(solution.model) : "";
  offerCopies(find("copies"), growth, image, words);
  player.load(growth.length);
  player.stopAt(step);
}

function showStep(step, playing) {
  title(find("play"), playing ? words.pause : words.play);
  if (!growth || !image) return;
  find("where").textContent = step ? words.where(step, growth.length) : words.beginning;
  growTo(image, step);
  showQueries(find("queries-title"), find("queries"), growth, step, words);
  if (chosen && chosen.step > step) chosen = null;
  inspect(chosen);
}

// Exploring

/** Shows what a query proposed at a step, its operands, and the words that it looked at. */
function inspect(which) {
  const thought = which && growth.thought(which.step, which.query);
  warm(find("text"), growth, thought);
  for (const part of document.querySelectorAll("[data-operand], button[data-query]")) part.classList.remove("looked");
  for (const part of document.querySelectorAll("[aria-pressed][data-step]")) part.setAttribute("aria-pressed", "false");
  if (!thought) {
    const hint = !growth.expressions.size ? "" : growth.queries ? words.hint : words.calculated;
    if (find("inspector").textContent !== hint) find("inspector").replaceChildren(html("p", {}, hint)); // announce it only once
    return;
  }
  const expression = growth.expressions.get(thought.kept);
  const proposal = expression ?? { left: thought.left[0].operand, operator: thought.operator[0].operator, right: thought.right[0].operand };
  for (const part of matching(which)) {
    part.classList.add("looked");
    part.setAttribute("aria-pressed", String(chosen?.step === which.step && chosen?.query === which.query));
  }
  for (const operand of [proposal.left, proposal.right]) {
    for (const part of document.querySelectorAll(`[data-operand="${CSS.escape(operand)}"]`)) part.classList.add("looked");
  }
  const pill = (operand, value) => paint(html("span", { class: "pill", title: value }, shortened(value)), growth.colours(operand));
  const [before, between, after] = around(proposal.operator);
  const sum = [before, pill(proposal.left, growth.value(proposal.left)), between, pill(proposal.right, growth.value(proposal.right)), after];
  if (expression) sum.push(" = ", pill(expression.id, expression.answer));
  const likely = words.share(thought.operator[0].probability * thought.left[0].probability * thought.right[0].probability);
  find("inspector").replaceChildren(
    html("p", {}, ...sum, html("small", {}, words.proposedBy(which.step, which.query + 1, likely))),
    html("p", {}, `${words.lookedAt}: `, html("em", {}, growth.words(thought).join(words.and))),
  );
}

function matching({ step, query }) {
  const kept = growth.thought(step, query).kept;
  const node = kept && image.querySelector(`.expression[data-operand="${CSS.escape(kept)}"]`);
  const button = document.querySelector(`button[data-step="${step}"][data-query="${query}"]`);
  return [node, button].filter(Boolean);
}

/** The query that an element on the stage represents. */
function queryOf(target) {
  const part = target.closest?.("button[data-query], .expression.grown");
  if (!part || !growth) return null;
  if (part.dataset.query) return { step: Number(part.dataset.step), query: Number(part.dataset.query) };
  const { step, query } = growth.expressions.get(part.dataset.operand);
  return query === undefined ? null : { step, query };
}

function choose(which) {
  const again = chosen && which && chosen.step === which.step && chosen.query === which.query;
  chosen = again ? null : which;
  player.pause();
  inspect(which);
}

const stage = find("stage");
for (const event of ["pointerover", "focusin"]) {
  stage.addEventListener(event, ({ target }) => {
    const which = queryOf(target);
    if (which) inspect(which);
  });
}
for (const event of ["pointerout", "focusout"]) {
  stage.addEventListener(event, ({ target }) => {
    if (queryOf(target)) inspect(chosen);
  });
}
stage.addEventListener("click", ({ target }) => {
  const which = queryOf(target);
  if (which) choose(which);
});
stage.addEventListener("keydown", (event) => {
  const steps = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (steps && event.target !== find("canvas")) {
    event.preventDefault();
    player.stopAt(player.step + steps);
  } else if ((event.key === "Enter" || event.key === " ") && event.target.closest(".expression")) {
    event.preventDefault();
    choose(queryOf(event.target));
  } else if (event.key === "Escape") {
    choose(null);
  }
});

// Start-up

find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
find("problem").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
});
for (const button of document.querySelectorAll("[data-language]")) {
  button.addEventListener("click", () => {
    speak(button.dataset.language);
    try {
      localStorage.setItem(LANGUAGE, language);
    } catch {
      // the choice is then not remembered
    }
  });
}
function follow() {
  const problem = linkedProblem();
  if (problem === null) return;
  find("problem").value = problem;
  submit();
}
window.addEventListener("hashchange", follow);
const wanted = kept() ?? navigator.language.slice(0, 2);
speak(wanted in WORDS ? wanted : "en");
follow();
