// The settings that this browser remembers: widths, saved filters, the theme. If the browser does not let pages store
// anything, they last as long as the page.

const forgotten = new Map()

/** @param {string} name @param {*} [otherwise] the default */
export function remembered(name, otherwise = null) {
  try {
    const text = localStorage.getItem("coredata " + name)
    return text === null ? forgotten.get(name) ?? otherwise : JSON.parse(text)
  } catch {
    return forgotten.get(name) ?? otherwise
  }
}

/** @param {string} name @param {*} value null to forget it */
export function remember(name, value) {
  forgotten.set(name, value)
  try {
    if (value === null) localStorage.removeItem("coredata " + name)
    else localStorage.setItem("coredata " + name, JSON.stringify(value))
  } catch {
    // Storage is full or not allowed: the setting lasts as long as the page.
  }
}
