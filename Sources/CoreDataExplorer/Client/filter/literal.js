/**
 * A text as the predicate language writes a value of an attribute's type: with quotation marks where it has to have them.
 * @param {string} text what was typed @param {string} type the attribute's
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

/** The seconds since 2001 of a date as people write it, in UTC unless it says another zone; null where it is none. */
export function secondsOf(text) {
  const [, day, time, fraction = "", zone] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(\.\d+)?\s*(Z|[-+]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? []
  if (!day) return null
  // A browser reads no more than thousandths.
  const milliseconds = Date.parse(`${day}T${time ?? "00:00"}${(zone ?? "Z").toUpperCase()}`)
  return Number.isNaN(milliseconds) ? null : milliseconds / 1000 - 978307200 + Number(`0${fraction}`)
}

/** A text in quotation marks. */
export function quoted(text) {
  return `"${text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")}"`
}

/** A predicate's text with values in place of `$NAME`. @param {Map<string, string>} values literals by the variables' names */
export function substituted(predicate, values) {
  // A `$` in a text is no variable: texts are taken over as they are.
  return predicate.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\$(\w+)/g, (found, name) =>
    name === undefined ? found : values.get(name) ?? found)
}

/** Two predicates that both have to hold. */
export function both(one, other) {
  if (!one?.trim()) return other
  return `${/\bOR\b|\|\|/i.test(one) ? `(${one})` : one} AND ${other}`
}
