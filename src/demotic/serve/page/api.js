// What the server is asked. Addresses are relative to the page, so that it may stand behind a prefix.

let key = "";

export function useKey(given) {
  key = given;
}

export class Refused extends Error {
  constructor(status, message, after) {
    super(message);
    this.status = status;
    this.after = after;
  }
}

async function answered(path, options = {}) {
  let response;
  try {
    response = await fetch(new URL(path, document.baseURI), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not answer.");
  }
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  if (response.ok && body !== null) return body;
  const said = body && typeof body.error === "string" ? body.error : `The server answered ${response.status}.`;
  throw new Refused(response.status, said, Number(response.headers.get("Retry-After")) || null);
}

export function get(path) {
  return answered(path);
}

export function post(path, body, { signal } = {}) {
  const told = key ? { ...body, api_key: key } : body;
  return answered(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(told),
    signal,
  });
}

export function upload(path, fields, { signal } = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  if (key) form.append("api_key", key);
  return answered(path, { method: "POST", body: form, signal });
}
