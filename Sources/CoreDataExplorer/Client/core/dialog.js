import { button, element } from "./element.js"

let made = 0

/**
 * Shows a modal dialog until its content calls `close`, or the user dismisses it with the button ✕, with Escape or
 * with a click outside.
 *
 * @param {string} title
 * @param {function(function(*): void): (Node|Node[])} content receives `close` and returns the nodes to show
 * @param {{className?: string}} [options]
 * @returns {Promise<*>} the argument of `close`; undefined if the dialog was dismissed
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
    // A press that begins in a field and ends outside selects text.
    let isPressedOutside = false
    dialog.addEventListener("pointerdown", (event) => { isPressedOutside = event.target === dialog })
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog && isPressedOutside) close()
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
 * Asks for confirmation. If the action cannot be undone, Enter does not confirm it by default.
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
