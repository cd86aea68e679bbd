import { button, element } from "./element.js"

let made = 0

/**
 * Shows a modal dialog until it is closed: by `close`, which the content gets, by Escape, or by a click beside it.
 *
 * @param {string} title
 * @param {function(function(*): void): (Node|Node[])} content makes what is in it
 * @param {{className?: string}} [options]
 * @returns {Promise<*>} what `close` was called with; undefined when it was dismissed
 */
export function showDialog(title, content, { className = "" } = {}) {
  return new Promise((resolve) => {
    made += 1
    let result
    const dialog = element("dialog", { className, "aria-labelledby": `dialog${made}` })
    const close = (value) => {
      result = value
      dialog.close()
    }
    dialog.append(
      element(
        "header", {}, element("h2", { id: `dialog${made}` }, title),
        button("✕", () => close(), { label: "Close", className: "quiet" })),
      ...[content(close)].flat().filter(Boolean))
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) close()
    })
    dialog.addEventListener("close", () => {
      dialog.remove()
      resolve(result)
    })
    document.querySelector("main").append(dialog)
    dialog.showModal()
    dialog.querySelector("[autofocus]")?.focus()
  })
}

/**
 * Asks before something is done. What cannot be taken back is not what Enter does at first.
 * @returns {Promise<boolean>}
 */
export async function confirmed(title, text, action, { danger = false } = {}) {
  return await showDialog(title, (close) => [
    element("div", { className: "content" }, text),
    element(
      "footer", {}, button("Cancel", () => close(false), { autofocus: danger }),
      button(action, () => close(true), { className: danger ? "danger" : "primary", autofocus: !danger })),
  ]) === true
}

/** Shows what went wrong, until it is read. */
export function tell(title, text) {
  return showDialog(title, (close) => [
    element("div", { className: "content" }, text),
    element("footer", {}, button("Close", () => close(), { className: "primary", autofocus: true })),
  ])
}
