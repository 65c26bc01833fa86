// Copies the solution as text, LaTeX, JSON, a drawing, or a link to the problem.

import { find, html } from "./elements.js";
import { asFile } from "./tree.js";

/** The problem is in the link's fragment (#), which browsers do not send, so no log has it. */
export function linkTo(problem) {
  return `${location.href.split("#")[0]}#${new URLSearchParams({ problem })}`;
}

export function linkedProblem() {
  return new URLSearchParams(location.hash.slice(1)).get("problem");
}

async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS, browsers allow only the copying of a selection.
    const area = html("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

export function offerCopies(place, growth, image, words) {
  const { solution } = growth;
  const equals = solution.answer.startsWith("≈") ? " " : " = ";
  const offers = {
    copyText: () => [solution.problem, "", `${solution.equation}${equals}${solution.answer}`, "", ...solution.steps].join("\n"),
    copyLatex: () => solution.latex,
    copyJson: () => JSON.stringify(solution, null, 1),
    copySvg: () => asFile(image),
    copyLink: () => linkTo(solution.problem),
  };
  place.replaceChildren(
    ...Object.entries(offers).map(([what, content]) => {
      const button = html("button", { type: "button", class: "quiet", "data-copy": what }, words[what]);
      button.addEventListener("click", async () => {
        const done = await write(content());
        button.focus();
        find("news").textContent = done ? words.copied(words[what]) : words.notCopied;
        button.classList.add(done ? "done" : "failed");
        setTimeout(() => button.classList.remove("done", "failed"), 1600);
      });
      return button;
    }),
  );
}
