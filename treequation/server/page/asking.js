// Asks the service, and says in words what went wrong.

const SECOND_LOOK = 4; // equations to follow where the first look is unsure, as on the command line

export class Refusal extends Error {
  constructor(error, status = 0) {
    super(error.message);
    this.code = error.code;
    this.field = error.field;
    this.hint = error.hint;
    this.status = status;
  }

  /** In the page's language; what the service says itself is English. */
  inWords(words) {
    const known = words.errors[this.code];
    if (known) return known;
    const message = this.message.charAt(0).toUpperCase() + this.message.slice(1);
    return this.hint ? `${message}: ${this.hint}.` : message;
  }
}

async function ask(problem, beam, key, signal) {
  const headers = { "Content-Type": "application/json", ...(key && { "X-API-Key": key }) };
  const body = JSON.stringify({ problem, beam, trace: true });
  let response;
  try {
    response = await fetch("v1/solve", { method: "POST", headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal({ code: "unreachable", message: "" });
  }
  let said;
  try {
    said = await response.json();
  } catch {
    throw new Refusal({ code: "unreadable", message: "" }, response.status);
  }
  if (!response.ok) throw new Refusal(said.error ?? { code: "unreadable", message: "" }, response.status);
  return said;
}

/** The solution; one that is unsure comes with the others that were thought of. */
export async function solve(problem, key, signal) {
  const first = await ask(problem, 1, key, signal);
  if (!first.unsure) return first;
  try {
    return await ask(problem, SECOND_LOOK, key, signal);
  } catch (error) {
    if (error instanceof Refusal) return first; // where such a beam is not allowed, the first look has to do
    throw error;
  }
}
