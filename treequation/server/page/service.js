// Calls the service, and puts its errors into words.

export class Refusal extends Error {
  constructor(error, status = 0) {
    super(error.message);
    this.code = error.code;
    this.field = error.field;
    this.hint = error.hint;
    this.status = status;
  }

  /** The error in the page's language; the service's own messages are English. */
  inWords(words) {
    const known = words.errors[this.code];
    if (known) return known;
    const message = this.message.charAt(0).toUpperCase() + this.message.slice(1);
    return this.hint ? `${message}: ${this.hint}.` : message;
  }
}

/** The service's answer; throws a Refusal if there is none. */
async function post(address, body, key, signal) {
  const headers = { "Content-Type": "application/json", ...(key && { "X-API-Key": key }) };
  let response;
  try {
    response = await fetch(address, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal({ code: "unreachable", message: "" });
  }
  let answer;
  try {
    answer = await response.json();
  } catch {
    throw new Refusal({ code: "unreadable", message: "" }, response.status);
  }
  if (!response.ok) throw new Refusal(answer.error ?? { code: "unreadable", message: "" }, response.status);
  return answer;
}

/** The solution; an unsure one comes with its alternatives. */
export function solve(problem, key, signal) {
  return post("v1/solve", { problem, trace: true }, key, signal);
}

/** The verdict on a pupil's equation. */
export function check(problem, equation, key, signal) {
  return post("v1/check", { problem, equation }, key, signal);
}
