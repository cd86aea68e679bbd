/** An error response of the server, as described in the protocol. */
export class ServerError extends Error {
  /**
   * @param {number} status 0 without a complete response
   * @param {{message: string, position?: number, place?: string, stopped?: boolean, suggestions?: string[]}} error
   * @param {Object} body the whole response, which contains the conflicts and problems of a save
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
 * @throws {ServerError}, or an `AbortError` if the signal aborted the request
 */
export function read(path, parameters = {}, signal) {
  return answer(path + query(parameters), { signal })
}

/** Sends `body` to `path`, to change something or because it is too long for an address. */
export function send(path, body = {}, signal) {
  return answer(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Explorer": "1" },
    body: JSON.stringify(body),
    signal,
  })
}

/** Formats parameters as `?a=1&b=2`, without empty ones. */
export function query(parameters) {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== "") search.set(key, value)
  }
  const text = search.toString()
  return text ? "?" + text : ""
}

/** The path of an entity's or an object's resource, with each part escaped. */
export function path(...parts) {
  return "/" + parts.map(encodeURIComponent).join("/")
}

async function answer(address, options) {
  let response
  try {
    response = await fetch(address, { credentials: "same-origin", ...options })
  } catch (error) {
    if (error.name === "AbortError") throw error
    throw new ServerError(0, { message: "The explorer does not respond. Is it still running?" })
  }
  const text = await textOf(response)
  if (!response.ok) throw errorOf(response, text)
  const body = parsed(text)
  if (body === null) throw new ServerError(0, { message: "The explorer's response ended early." })
  return body
}

/**
 * Returns the error that a request for an address results in, because an `EventSource` does not report it; null if
 * there is no error or no response.
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
    // A response without an error may be a stream, which does not end by itself.
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

/** The error of a response. Refusals are plain text, which becomes the message. */
function errorOf({ status, headers }, text) {
  const body = parsed(text) ?? {}
  const isPlain = headers.get("Content-Type")?.startsWith("text/plain") ?? true
  const said = body.error ? null : body.problems?.[0]?.message ?? (isPlain && parsed(text) === null ? text.trim() : "")
  return new ServerError(status, body.error ?? { message: said || `The server answered with status ${status}.` }, body)
}
