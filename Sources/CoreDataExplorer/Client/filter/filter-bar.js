import { read } from "../core/api.js"
import { button, element, fill } from "../core/element.js"
import { showDialog } from "../core/dialog.js"
import { openMenu } from "../core/menu.js"
import { visibleText } from "../core/text.js"
import { CompletionList } from "./completion-list.js"
import { SavedFilters } from "./saved-filters.js"
import { indexOfCharacter } from "./scalars.js"
import { fillTemplate } from "./template-dialog.js"

/** Milliseconds without typing after which a predicate is checked. */
const pause = 150

/**
 * The field for the predicate, with suggestions, templates of the model and saved filters. A predicate is checked while
 * it is typed.
 */
export class FilterBar {
  #model
  #entity
  #apply
  #saved
  #timer = 0
  #checked = 0

  /** @param {import("../core/model.js").Model} model @param {string} entity @param {function(string): void} apply */
  constructor(model, entity, apply) {
    this.#model = model
    this.#entity = entity
    this.#apply = apply
    this.#saved = new SavedFilters(model.store.path, entity)
    this.input = element("input", {
      type: "text", id: "filter", className: "predicate", spellcheck: false, autocomplete: "off", autocapitalize: "off",
      placeholder: "Filter: a predicate, such as age > 30", role: "combobox", "aria-label": "Filter", "aria-autocomplete": "list",
      "aria-expanded": "false", "aria-controls": "completions", "aria-describedby": "filter-error",
      oninput: () => this.#typed(),
      onkeydown: (event) => this.#key(event),
      onblur: () => this.completions.close(),
    })
    this.completions = new CompletionList(this.input, entity)
    this.clear = button("✕", () => this.#use(""), { label: "No filter", className: "quiet clear", hidden: true })
    this.error = element("div", { id: "filter-error", className: "filter-error", hidden: true, "aria-live": "polite" })
    this.element = element(
      "form", { role: "search", className: "filter", onsubmit: (event) => { event.preventDefault(); this.#use(this.input.value) } },
      element("div", { className: "field" }, this.input, this.clear),
      button("Filters", (event) => this.#menu(event.currentTarget), { "aria-haspopup": "menu" }), this.error, this.completions.element)
  }

  /** Puts the predicate of the shown rows into the field. */
  show(where) {
    this.#forgetChecks()
    this.input.value = where
    this.clear.hidden = !where
    this.showError(null)
    // The predicate is valid, but it may mean something other than intended: the check also returns hints.
    if (where) this.#check()
  }

  /** Discards the results of checks of earlier text. */
  #forgetChecks() {
    clearTimeout(this.#timer)
    this.#checked += 1
  }

  focus() {
    this.input.focus()
    this.input.select()
  }

  #use(where) {
    this.completions.close()
    this.#forgetChecks()
    this.input.value = where
    this.showError(null)
    this.#apply(where.trim())
  }

  #typed() {
    clearTimeout(this.#timer)
    this.clear.hidden = !this.input.value
    this.#timer = setTimeout(() => {
      this.#check()
      this.completions.complete()
    }, pause)
  }

  async #check() {
    this.#checked += 1
    const checked = this.#checked
    const text = this.input.value
    if (!text.trim()) {
      this.showError(null)
      return
    }
    try {
      const answer = await read("/api/predicate", { entity: this.#entity, text })
      if (checked === this.#checked && this.input.value === text) this.showError(answer.ok ? null : answer.error, answer.hints)
    } catch {
      // If the request fails, the predicate may still be valid, so no error is shown.
    }
  }

  /**
   * Shows an error with its location in the text, or hints about valid conditions that probably do not mean what the
   * user intends.
   * @param {{message: string, position?: number, suggestions?: string[]}|null} error
   * @param {{message: string, position?: number, length?: number, replacement?: string}[]} [hints]
   */
  showError(error, hints = []) {
    this.error.hidden = !error && hints.length === 0
    this.input.setAttribute("aria-invalid", Boolean(error))
    fill(this.error, error && this.#errorLine(error), ...hints.map((hint) => this.#hintLine(hint)))
  }

  #errorLine(error) {
    const text = this.input.value
    const parts = [element("span", { className: "message" }, visibleText(error.message, 400))]
    if (error.position !== undefined) {
      const start = indexOfCharacter(text, error.position)
      const [word] = /^([\p{L}\p{N}_.$]+|[^\s\p{L}\p{N}]?)/u.exec(text.slice(start))
      const end = start + word.length
      parts.push(element(
        "code", { className: "echo" }, visibleText(text.slice(Math.max(0, start - 60), start), 200),
        element("mark", {}, visibleText(text.slice(start, end), 200) || "\u00a0"), visibleText(text.slice(end, end + 60), 200)))
      for (const suggestion of (error.suggestions ?? []).slice(0, 5)) parts.push(this.#replacing(suggestion, start, end))
    } else {
      for (const suggestion of (error.suggestions ?? []).slice(0, 5)) parts.push(element("span", {}, visibleText(suggestion, 200)))
    }
    return element("p", {}, ...parts)
  }

  #hintLine({ message, position, length, replacement }) {
    const text = this.input.value
    const [start, end] = [position ?? 0, (position ?? 0) + (length ?? 0)].map((place) => indexOfCharacter(text, place))
    return element("p", { className: "hint" }, element("span", { className: "message" }, visibleText(message, 400)), replacement !== undefined && this.#replacing(replacement, start, end))
  }

  /** A button that replaces a part of the condition. */
  #replacing(replacement, start, end) {
    return button(visibleText(replacement, 80), () => {
      this.input.setRangeText(replacement, start, end, "end")
      this.input.focus()
      this.#typed()
    }, { label: `Use ${replacement}` })
  }

  #key(event) {
    if (this.completions.key(event)) {
      event.preventDefault()
      event.stopPropagation()
    } else if (event.key === "Escape") {
      event.preventDefault()
      event.stopPropagation()
      this.input.blur()
      document.querySelector(".grid")?.focus()
    }
  }

  #menu(below) {
    const templates = this.#model.store.templates.filter((one) => one.entity === this.#entity)
    const where = this.input.value.trim()
    openMenu(below, [
      { text: "Save this filter…", disabled: !where, action: () => this.#save(where) },
      ...(this.#saved.all.length ? [null] : []),
      ...this.#saved.all.map((one) => ({ text: one.name, hint: visibleText(one.where, 40), action: () => this.#use(one.where) })),
      ...this.#saved.all.map((one) => ({ text: `Delete filter ${one.name}`, action: () => this.#saved.remove(one.name) })),
      ...(templates.length ? [null] : []),
      ...templates.map((one) => ({
        text: `Template ${one.name}${one.variables.length ? "…" : ""}`,
        action: async () => {
          const filled = one.variables.length ? await fillTemplate(one) : one.predicate
          if (filled !== undefined) this.#use(filled)
        },
      })),
    ], "Filters")
  }

  #save(where) {
    return showDialog("Save filter", (close) => {
      const name = element("input", { type: "text", required: true, autofocus: true, value: visibleText(where, 60) })
      return element(
        "form", { onsubmit: (event) => { event.preventDefault(); this.#saved.save(name.value, where); close() } },
        element("div", { className: "content fields" }, element("label", {}, element("span", {}, "Name"), name), element("code", { className: "predicate" }, where)),
        element("footer", {}, element("button", { type: "submit", className: "primary" }, "Save")))
    })
  }
}
