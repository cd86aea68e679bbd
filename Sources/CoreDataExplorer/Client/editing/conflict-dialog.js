import { valueText } from "../core/cells.js"
import { showDialog } from "../core/dialog.js"
import { button, element } from "../core/element.js"
import { visibleText } from "../core/text.js"

/**
 * Shows objects that another process has changed, with the values of each property in conflict: the value before both
 * changes, the user's value (except for objects that the user deleted), and the stored value. Changes to objects that
 * another process deleted cannot be kept, so these objects are shown first and alone, without values.
 * @returns {Promise<"mine"|"theirs"|"present"|undefined>}
 */
export function resolveConflicts(conflicts) {
  const gone = conflicts.filter((conflict) => conflict.kind === "deletedThere")
  return gone.length > 0
    ? show("Deleted by another process", gone, (close) => [
      button("Discard my changes to these objects", () => close("present"), { className: "danger" }),
    ])
    : show("Changed by another process", conflicts, (close) => [
      button("Use theirs", () => close("theirs")), button("Keep mine", () => close("mine"), { className: "primary" }),
    ])
}

function show(title, conflicts, choices) {
  return showDialog(title, (close) => [
    element("div", { className: "content conflicts" }, ...conflicts.map((conflict) => element(
      "section", {}, element("h3", {}, visibleText(conflict.label, 120), element("small", {}, ` ${conflict.entity} ${conflict.id}`)), ...content(conflict)))),
    element("footer", {}, button("Keep editing", () => close()), ...choices(close)),
  ], { className: "wide" })
}

function content({ kind, keys }) {
  if (kind === "deletedThere") return [element("p", {}, "Another process deleted this object, so the changes to it cannot be saved.")]
  const isDeleted = kind === "deletedHere"
  const titles = ["Property", "Original", ...(isDeleted ? [] : ["Mine"]), "Stored"]
  return [
    isDeleted && element("p", {}, "You deleted this object, and another process changed it."),
    element(
      "table", { className: "plain" },
      element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...keys.map((key) => element(
        "tr", {}, element("th", { scope: "row" }, key.key),
        ...[key.cached, ...(isDeleted ? [] : [key.mine]), key.theirs].map((cell) => element("td", {}, valueText(cell, 200))))))),
  ].filter(Boolean)
}
