import { element } from "../core/element.js"
import { visibleText } from "../core/text.js"

/** The maximum number of letters. */
const most = 30

/** The letters beside a table with sections: a click, or sliding a finger along them, scrolls to the first section of a letter. */
export class IndexBar {
  #go
  #entries = []
  #shown = null

  /** @param {function(number): void} go called with a section's index */
  constructor(go) {
    this.#go = go
    this.element = element("div", {
      className: "index-bar", role: "navigation", "aria-label": "Sections", hidden: true,
      onpointerdown: (event) => this.#follow(event),
      onpointermove: (event) => event.buttons && this.#follow(event),
    })
  }

  /** @param {import("./section-list.js").SectionList|null} list */
  show(list) {
    const titles = []
    list?.sections.forEach((section, index) => {
      const title = section.indexTitle || "–"
      if (titles.at(-1)?.title !== title) titles.push({ title, index })
    })
    this.element.hidden = titles.length < 2
    const stride = Math.ceil(titles.length / most)
    const entries = titles.filter((_, index) => index % stride === 0)
    const key = entries.map((entry) => entry.title).join("\u0000")
    // Each report changes the sections that letters lead to, but rarely the letters.
    const isSame = key === this.#shown
    this.#shown = key
    if (isSame) {
      entries.forEach((entry, index) => Object.assign(this.#entries[index], entry))
      return
    }
    this.#entries = entries
    this.element.replaceChildren(...entries.map((entry, index) => element(
      "button",
      {
        type: "button", "aria-label": `Section ${visibleText(entry.title, 20)}`, tabIndex: index === 0 ? 0 : -1,
        onclick: () => this.#go(this.#entries[index].index),
        onkeydown: (event) => this.#key(event, index),
      },
      visibleText(entry.title, 2))))
  }

  #key(event, index) {
    const to = event.key === "ArrowDown" ? index + 1 : event.key === "ArrowUp" ? index - 1 : null
    if (to === null) return
    event.preventDefault()
    this.element.children[to]?.focus()
  }

  #follow(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest(".index-bar button")
    if (!found) return
    const index = [...this.element.children].indexOf(found)
    if (index >= 0) this.#go(this.#entries[index].index)
  }
}
