import { read } from "../core/api.js"
import { element } from "../core/element.js"
import { indexOfScalar, scalarsBefore } from "./scalars.js"

/** Suggestions below the field, which keeps the focus, as in the ARIA combobox pattern. */
export class CompletionList {
  #input
  #entity
  #options = []
  #from = 0
  #active = -1
  #lastRequest = 0

  /** @param {HTMLInputElement} input @param {string} entity */
  constructor(input, entity) {
    this.#input = input
    this.#entity = entity
    this.element = element("ul", { role: "listbox", id: "completions", className: "completions", hidden: true, "aria-label": "Completions" })
    // The suggestions are for the place where the cursor was.
    input.addEventListener("pointerdown", () => this.close())
  }

  get isOpen() {
    return !this.element.hidden
  }

  /** Requests suggestions for the position of the cursor. */
  async complete() {
    this.#lastRequest += 1
    const request = this.#lastRequest
    const { value, selectionStart } = this.#input
    let answer
    try {
      answer = await read("/api/completion", {
        entity: this.#entity, text: value, cursor: String(scalarsBefore(value, selectionStart)),
      })
    } catch {
      return // The error of the predicate itself is shown; suggestions are optional.
    }
    const isCurrent = request === this.#lastRequest && this.#input.value === value && this.#input.selectionStart === selectionStart
    if (!isCurrent || document.activeElement !== this.#input) return
    this.#from = indexOfScalar(value, answer.from)
    const typed = value.slice(this.#from, selectionStart)
    // A single suggestion that equals the typed text is useless.
    const options = answer.options.length === 1 && answer.options[0].text === typed ? [] : answer.options.slice(0, 50)
    this.#show(options)
  }

  close() {
    this.#lastRequest += 1
    this.#show([])
  }

  #show(options) {
    this.#options = options
    this.element.hidden = options.length === 0
    this.#input.setAttribute("aria-expanded", this.isOpen)
    this.element.replaceChildren(...options.map((option, index) => element(
      "li",
      {
        role: "option", id: `completion-${index}`, className: option.kind, "aria-selected": "false",
        onpointerdown: (event) => {
          event.preventDefault()
          this.#accept(index)
        },
      },
      element("span", {}, option.text), option.detail && element("small", {}, option.detail))))
    this.#activate(-1)
  }

  #activate(index) {
    this.element.children[this.#active]?.setAttribute("aria-selected", "false")
    this.#active = index
    const chosen = this.element.children[index]
    if (chosen) {
      chosen.setAttribute("aria-selected", "true")
      chosen.scrollIntoView({ block: "nearest" })
      this.#input.setAttribute("aria-activedescendant", chosen.id)
    } else {
      this.#input.removeAttribute("aria-activedescendant")
    }
  }

  /** Handles a key; returns whether the list used it. */
  key(event) {
    if (!this.isOpen) {
      if (event.key === "ArrowDown" || (event.key === " " && event.ctrlKey)) {
        this.complete()
        return true
      }
      return false
    }
    const { length } = this.#options
    switch (event.key) {
      case "ArrowDown": this.#activate((this.#active + 1) % length); return true
      case "ArrowUp": this.#activate(this.#active <= 0 ? length - 1 : this.#active - 1); return true
      case "Escape": this.close(); return true
      case "Tab": this.#accept(Math.max(0, this.#active)); return true
      case "Enter":
        if (this.#active < 0) return false
        this.#accept(this.#active)
        return true
      case "ArrowLeft": case "ArrowRight": case "Home": case "End":
        this.close()
        return false
      default: return false
    }
  }

  #accept(index) {
    const { text, kind } = this.#options[index]
    const { value, selectionStart } = this.#input
    const rest = value.slice(selectionStart)
    const added = kind === "key" && rest === "" ? text + " " : kind !== "key" && !rest.startsWith(" ") ? text + " " : text
    this.#input.setRangeText(added, this.#from, selectionStart, "end")
    this.close()
    this.#input.dispatchEvent(new Event("input", { bubbles: true }))
  }
}
