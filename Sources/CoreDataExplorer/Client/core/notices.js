import { announce } from "./announcements.js"
import { element } from "./element.js"

/** Where short notes appear: at the lower edge, for some seconds. */
export const noticeArea = element("div", { className: "notices" })

/** Says what happened, or did not. @param {string} text @param {"note"|"error"} [kind] */
export function notice(text, kind = "note") {
  // Said again, it is one note: several requests fail for one reason.
  for (const old of noticeArea.children) if (old.textContent === text) old.remove()
  const made = element("div", { className: `notice ${kind}` }, text)
  noticeArea.append(made)
  while (noticeArea.childElementCount > 3) noticeArea.firstChild.remove()
  announce(text)
  setTimeout(() => made.remove(), kind === "error" ? 8000 : 3500)
}
