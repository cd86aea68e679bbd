/**
 * The key handlers of the whole page. The handlers that were registered last receive a key first.
 */
const layers = []

/**
 * Registers handlers for keys; the returned function unregisters them.
 * @param {Object<string, function(KeyboardEvent): (boolean|void)>} handlers by `KeyboardEvent.key`, with `Shift+` for
 *   a letter typed with Shift; a handler that returns false passes the key on
 */
export function registerKeys(handlers) {
  layers.push(handlers)
  return () => {
    const index = layers.indexOf(handlers)
    if (index >= 0) layers.splice(index, 1)
  }
}

/** Whether a key pressed in an element enters text or a choice there. */
export function isTyping(target) {
  return target instanceof HTMLElement
    && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)
      || (target.tagName === "INPUT" && !/^(checkbox|radio|button|range)$/.test(target.type)))
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
  // A dialog is modal: the page behind it receives no keys.
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
