import { element } from "./element.js"

const region = element("div", { className: "unseen", role: "status", "aria-live": "polite" })
let waiting = 0

/** The element that has to stand on the page before the first announcement. */
export const announcementRegion = region

/**
 * Says something to a screen reader. Of many in a row the last is said, so that a busy store does not talk without end.
 * @param {string} text
 */
export function announce(text) {
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    region.textContent = text
  }, 400)
}
