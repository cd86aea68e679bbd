import { addressOf } from "../core/address.js"
import { valueText } from "../core/cells.js"
import { confirmed, showDialog } from "../core/dialog.js"
import { button, element, fill } from "../core/element.js"
import { counted, visibleText } from "../core/text.js"

/**
 * The bar at the bottom of the page, which is visible while there are unsaved changes, and until the page is settled
 * also while there is something to undo or to redo.
 */
export class PendingBar {
  /** @param {import("../main.js").Application} app */
  constructor(app) {
    this.app = app
    this.element = element("section", { className: "pending", "aria-label": "Unsaved changes", hidden: true })
    app.editor.addEventListener("changed", () => this.#show())
  }

  #show() {
    const { editor } = this.app
    const { inserted, updated, deleted, deletedElsewhere = 0, canUndo, canRedo, undoName } = editor.pending
    const parts = [[inserted, "new"], [updated, "changed"], [deleted, "deleted"], [deletedElsewhere, "deleted by another process"]].filter(([count]) => count).map(([count, what]) => `${count} ${what}`)
    // After a save the bar is hidden, although the key for undo still works.
    this.element.hidden = parts.length === 0 && (editor.isSettled || (!canRedo && !canUndo))
    if (this.element.hidden) {
      fill(this.element)
      return
    }
    const focused = document.activeElement?.dataset?.command
    const command = (name, text, action, options) => button(text, action, { "data-command": name, ...options })
    fill(
      this.element, element("span", { className: "sum" }, parts.join(" · ") || "Nothing to save"),
      editor.problems.length > 0 && element("span", { className: "problem" }, counted(editor.problems.length, "problem")),
      element("span", { className: "space" }),
      command("undo", "Undo", () => editor.undo(), { disabled: !canUndo, title: `Undo${undoName ? " " + undoName : ""} (z)` }),
      command("redo", "Redo", () => editor.redo(), { disabled: !canRedo, title: "Redo (Shift z)" }),
      command("review", "Review", () => this.review(), { disabled: parts.length === 0 }),
      command("discard", "Discard", () => this.discard(), { disabled: parts.length === 0 && !canRedo }),
      command("save", "Save", () => editor.save(), { className: "primary", disabled: parts.length === 0, title: "Save (s)" }))
    if (focused) this.element.querySelector(`[data-command="${focused}"]:not(:disabled)`)?.focus()
  }

  async discard() {
    if (await confirmed("Discard all changes?", "All unsaved changes will be lost. This cannot be undone.", "Discard", { danger: true })) this.app.editor.discard()
  }

  /** Shows what would be saved. */
  review() {
    const { changes, inserted, updated, deleted, deletedElsewhere = 0 } = this.app.editor.pending
    const rest = inserted + updated + deleted + deletedElsewhere - changes.length
    return showDialog("Unsaved changes", (close) => [
      element(
        "div", { className: "content changes" },
        ...changes.map((change) => element(
          "section", { className: change.kind },
          element(
            "h3", {}, change.kind === "deleted" ? visibleText(change.label, 120)
              : element("a", { href: addressOf(this.app.objectPlace(change.entity, change.id)), onclick: () => close() }, visibleText(change.label, 120)),
            element("small", {}, `${change.entity} ${change.id} · ${change.kind === "deletedElsewhere" ? "deleted by another process" : change.kind}`)),
          ...change.keys.map((key) => element(
            "p", {}, element("b", {}, key.key), " ", element("del", {}, valueText(key.old, 200)), " → ", element("ins", {}, valueText(key.new, 200)))))),
        rest > 0 && element("p", { className: "pale" }, `and ${counted(rest, "more object", "more objects")}`)),
      element("footer", {}, button("Close", () => close())),
    ], { className: "wide" })
  }
}
