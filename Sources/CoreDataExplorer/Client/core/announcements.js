import { element } from "./element.js"

const region = element("div", { className: "unseen", role: "status", "aria-live": "polite" })
let waiting = 0

/** The element that has to be on the page before the first announcement. */
export const announcementRegion = region

/**
 * Announces something to screen readers. Of several announcements in quick succession only the last one is made, so
 * that a busy store does not cause constant speech.
 * @param {string} text
 */
export function announce(text) {
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    region.textContent = text
  }, 400)
}
