/**
 * Text as a literal of the predicate language, for an attribute's type: in quotes if the type needs them.
 * @param {string} text the typed text @param {string} type of the attribute
 */
export function literal(text, type) {
  const trimmed = text.trim()
  if (/^(Integer|Decimal|Double|Float)/.test(type) && /^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(trimmed)) return trimmed
  if (type === "Boolean") return /^(yes|true|1)$/i.test(trimmed) ? "YES" : "NO"
  if (type === "Date") {
    const seconds = secondsOf(trimmed)
    if (seconds !== null) return `CAST(${seconds}, "NSDate")`
  }
  return quoted(text)
}

/** The seconds since 2001 of a date, in UTC unless it specifies a time zone; null if the text is not a date. */
export function secondsOf(text) {
  const [, day, time, fraction = "", zone] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(\.\d+)?\s*(Z|[-+]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? []
  if (!day) return null
  // JavaScript dates have a precision of milliseconds.
  const milliseconds = Date.parse(`${day}T${time ?? "00:00"}${(zone ?? "Z").toUpperCase()}`)
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000 - 978307200 + Number(`0${fraction}`)
}

/** Text in quotes. */
export function quoted(text) {
  return `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`
}

/** A predicate with values in place of `$NAME`. @param {Map<string, string>} values literals by variable name */
export function substituted(predicate, values) {
  // A `$` inside a string literal is not a variable, so literals are copied unchanged.
  return predicate.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\$(\w+)/g, (found, name) =>
    name === undefined ? found : values.get(name) ?? found)
}

/** The conjunction of two predicates. */
export function both(one, other) {
  if (!one?.trim()) return other
  return `${/\bOR\b|\|\|/i.test(one) ? `(${one})` : one} AND ${other}`
}
