/**
 * A text as the predicate language writes a value of an attribute's type: with quotation marks where it has to have them.
 * @param {string} text what was typed @param {string} type the attribute's
 */
export function literal(text, type) {
  const trimmed = text.trim()
  if (/^(Integer|Decimal|Double|Float)/.test(type) && /^[-+]?[\d.]+(e[-+]?\d+)?$/i.test(trimmed)) return trimmed
  if (type === "Boolean") return /^(yes|true|1)$/i.test(trimmed) ? "YES" : "NO"
  if (type === "Date") {
    const milliseconds = Date.parse(/[zZ]|[-+]\d\d:?\d\d$/.test(trimmed) ? trimmed : `${trimmed.replace(" ", "T")}${trimmed.includes(":") ? "Z" : ""}`)
    // Core Data counts from the beginning of 2001.
    if (!Number.isNaN(milliseconds)) return `CAST(${milliseconds / 1000 - 978307200}, "NSDate")`
  }
  return quoted(text)
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
