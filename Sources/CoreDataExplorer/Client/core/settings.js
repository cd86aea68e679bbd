// The settings that this browser remembers: widths, saved filters, the theme. A setting that the browser does not let
// pages store lasts as long as the page.

/** The settings that could not be stored. They override older values that are stored. */
const unstored = new Map()

/** @param {string} name @param {*} [otherwise] the default */
export function remembered(name, otherwise = null) {
  if (unstored.has(name)) return unstored.get(name) ?? otherwise
  try {
    const text = localStorage.getItem("coredata " + name)
    return text === null ? otherwise : JSON.parse(text)
  } catch {
    return otherwise
  }
}

/** @param {string} name @param {*} value null to forget it */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem("coredata " + name)
    else localStorage.setItem("coredata " + name, JSON.stringify(value))
    unstored.delete(name)
  } catch {
    // Storage is full or not allowed.
    unstored.set(name, value)
  }
}
