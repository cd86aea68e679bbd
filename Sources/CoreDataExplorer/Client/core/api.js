/** An answer of the server that is none: what the protocol calls an error. */
export class ServerError extends Error {
  /**
   * @param {number} status 0 when the server could not be reached
   * @param {{message: string, position?: number, length?: number, suggestions?: string[]}} error
   * @param {Object} body the whole answer: conflicts and problems of a save stand there
   */
  constructor(status, error, body = {}) {
    super(error.message)
    this.status = status
    this.error = error
    this.body = body
  }
}

/**
 * Reads `path`.
 * @param {string} path
 * @param {Object<string, *>} [parameters] of the query; empty ones are left out
 * @param {AbortSignal} [signal]
 * @throws {ServerError} and an `AbortError` when the signal ended it
 */
export function read(path, parameters = {}, signal) {
  return answer(path + query(parameters), { signal })
}

/** Sends `body` to `path`: everything that changes something. */
export function send(path, body = {}, signal) {
  return answer(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Explorer": "1" },
    body: JSON.stringify(body),
    signal,
  })
}

/** `?a=1&b=2` of what is not empty. */
export function query(parameters) {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") search.set(key, value)
  }
  const text = search.toString()
  return text ? "?" + text : ""
}

/** The path of an entity's or an object's resource: each part is escaped. */
export function path(...parts) {
  return "/" + parts.map(encodeURIComponent).join("/")
}

async function answer(address, options) {
  let response
  try {
    response = await fetch(address, { credentials: "same-origin", ...options })
  } catch (error) {
    if (error.name === "AbortError") throw error
    throw new ServerError(0, { message: "The explorer does not answer; is it still running?" })
  }
  let body
  try {
    body = await response.json()
  } catch (error) {
    if (error.name === "AbortError") throw error
    body = {}
  }
  if (response.ok) return body
  throw new ServerError(
    response.status, body.error ?? { message: body.problems?.[0]?.message ?? `The answer was ${response.status}.` }, body)
}
