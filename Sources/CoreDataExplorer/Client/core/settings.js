// What this browser remembers: widths, saved filters, the theme. A browser that does not let pages store anything
// forgets it with the page.

const forgotten = new Map()

/** @param {string} name @param {*} [otherwise] when nothing is remembered */
export function remembered(name, otherwise = null) {
  try {
    const text = localStorage.getItem("coredata " + name)
    return text === null ? forgotten.get(name) ?? otherwise : JSON.parse(text)
  } catch {
    return forgotten.get(name) ?? otherwise
  }
}

/** @param {string} name @param {*} value null forgets it */
export function remember(name, value) {
  forgotten.set(name, value)
  try {
    if (value === null) localStorage.removeItem("coredata " + name)
    else localStorage.setItem("coredata " + name, JSON.stringify(value))
  } catch {
    // Full or forbidden: the page has it.
  }
}
