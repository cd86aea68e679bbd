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
  const text = await textOf(response)
  if (!response.ok) throw errorOf(response, text)
  return parsed(text) ?? {}
}

/**
 * Why an address gives an error, which a stream does not tell; null where it gives none.
 * @param {string} address
 * @returns {Promise<ServerError|null>}
 */
export async function refusal(address) {
  const ended = new AbortController()
  try {
    const response = await fetch(address, { credentials: "same-origin", signal: ended.signal })
    return response.ok ? null : errorOf(response, await textOf(response))
  } catch {
    return null
  } finally {
    // What is no error may be a stream, which does not end by itself.
    ended.abort()
  }
}

async function textOf(response) {
  try {
    return await response.text()
  } catch (error) {
    if (error.name === "AbortError") throw error
    return ""
  }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Whoever is not let in is told so in words, not in JSON: then they are the message. */
function errorOf({ status, headers }, text) {
  const body = parsed(text) ?? {}
  const isPlain = headers.get("Content-Type")?.startsWith("text/plain") ?? true
  const said = body.error ? null : body.problems?.[0]?.message ?? (isPlain && parsed(text) === null ? text.trim() : "")
  return new ServerError(status, body.error ?? { message: said || `The answer was ${status}.` }, body)
}
