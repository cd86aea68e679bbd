/**
 * Makes an element. The client makes the elements of a page only with this file, except that it imports the server's
 * SVG documents. Values become properties, attributes and text nodes, never markup, so that text from a store is never
 * interpreted as HTML.
 *
 * A key that begins with `on` and has a function is a listener; a key with a `-`, or one that is not a property of
 * the element, is an attribute; all others are properties. `null`, `undefined` and `false` children are left out.
 *
 * @param {string} name the tag
 * @param {Object<string, *>} [properties]
 * @param {...(Node|string|number|null|false|undefined|Array)} children
 * @returns {HTMLElement}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue
    if (key.startsWith("on") && typeof value === "function") {
      made.addEventListener(key.slice(2), value)
    } else if (key.includes("-") || !(key in made)) {
      made.setAttribute(key, value)
    } else {
      made[key] = value
    }
  }
  made.append(...shown(children))
  return made
}

/** Makes an SVG element. All values become attributes, except listeners. */
export function graphic(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on") && typeof value === "function") made.addEventListener(key.slice(2), value)
    else if (value !== undefined && value !== null) made.setAttribute(key, value)
  }
  made.append(...shown(children))
  return made
}

/** Replaces all children of an element. */
export function fill(parent, ...children) {
  parent.replaceChildren(...shown(children))
  return parent
}

function shown(children) {
  return children.flat().filter((child) => child !== null && child !== undefined && child !== false)
}

/** Makes a button; `label` is for screen readers if the text is a symbol. */
export function button(text, onclick, { label, className, title, ...more } = {}) {
  return element(
    "button",
    { type: "button", onclick, className: className ?? "", title: title ?? label, "aria-label": label, ...more },
    text)
}
