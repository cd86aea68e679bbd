import { showDialog } from "../core/dialog.js"
import { button, element } from "../core/element.js"
import { notice } from "../core/notices.js"

/** Shows a table's fetch request as Swift source, for copying. */
export async function showSwift(view) {
  let swift
  try {
    ({ swift } = await view.inspect("swift"))
  } catch (error) {
    notice(error.message, "error")
    return
  }
  await showDialog("As Swift", (close) => {
    const text = element("pre", { tabIndex: 0, "aria-label": "Swift" }, swift)
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(swift)
        notice("Copied")
        close()
      } catch {
        // The browser does not allow copying by a script. Select the text, so that the user can copy it.
        getSelection().selectAllChildren(text)
      }
    }
    return [
      element("div", { className: "content" }, text),
      element("footer", {}, button("Close", () => close()), button("Copy", copy, { className: "primary", autofocus: true })),
    ]
  }, { className: "wide" })
}
