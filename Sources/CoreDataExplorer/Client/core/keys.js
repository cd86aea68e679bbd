/**
 * The keys that work on the whole page. What is open at the moment gets them first: the last that registered.
 */
const layers = []

/**
 * Lets `handlers` have the keys until the function that comes back is called.
 * @param {Object<string, function(KeyboardEvent): (boolean|void)>} handlers by the key's name as a `KeyboardEvent` has it,
 *   with `Shift+` before letters; one that gives false leaves the key to others
 */
export function takeKeys(handlers) {
  layers.push(handlers)
  return () => {
    const index = layers.indexOf(handlers)
    if (index >= 0) layers.splice(index, 1)
  }
}

/** Whether a key that is typed there is text. */
export function isTyping(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)
      || (target.tagName === "INPUT" && !/^(checkbox|radio|button|range)$/.test(target.type)))
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  // A dialog is modal: the page behind it gets nothing.
  if (document.querySelector("dialog[open]")) return
  if (isTyping(event.target) && event.key !== "Escape") return
  const name = /^[a-z]$/i.test(event.key) && event.shiftKey ? `Shift+${event.key.toLowerCase()}` : event.key
  for (const layer of [...layers].reverse()) {
    const handler = layer[name]
    if (handler && handler(event) !== false) {
      event.preventDefault()
      return
    }
  }
})
