import { announce } from "./announcements.js"
import { element } from "./element.js"

/** The area at the bottom where notices appear for some seconds. */
export const noticeArea = element("div", { className: "notices" })

/** Shows a notice. @param {string} text @param {"note"|"error"} [kind] */
export function notice(text, kind = "note") {
  // A repeated notice is shown once: several requests may fail for the same reason.
  for (const old of noticeArea.children) if (old.textContent === text) old.remove()
  const made = element("div", { className: `notice ${kind}` }, text)
  noticeArea.append(made)
  while (noticeArea.childElementCount > 3) noticeArea.firstChild.remove()
  announce(text)
  setTimeout(() => made.remove(), kind === "error" ? 8000 : 3500)
}
