import { valueText } from "../core/cells.js"
import { showDialog } from "../core/dialog.js"
import { button, element } from "../core/element.js"
import { visibleText } from "../core/text.js"

/**
 * Shows objects that somebody else has saved meanwhile, with the three values of each property: as it was when it was read, as it is here,
 * as it is in the store. What was deleted there cannot be kept, so that is decided first, by itself.
 * @returns {Promise<"mine"|"theirs"|"present"|undefined>}
 */
export function resolveConflicts(conflicts) {
  const gone = conflicts.filter((conflict) => conflict.kind === "deletedThere")
  return gone.length > 0
    ? show("Somebody else has deleted these meanwhile", gone, (close) => [
      button("Discard their changes", () => close("present"), { className: "danger" }),
    ])
    : show("Somebody else has saved these meanwhile", conflicts, (close) => [
      button("Take theirs", () => close("theirs")), button("Keep mine", () => close("mine"), { className: "primary" }),
    ])
}

function show(title, conflicts, choices) {
  return showDialog(title, (close) => [
    element("div", { className: "content conflicts" }, ...conflicts.map((conflict) => element(
      "section", {}, element("h3", {}, visibleText(conflict.label, 120), element("small", {}, ` ${conflict.entity} ${conflict.id}`)), ...content(conflict)))),
    element("footer", {}, button("Go on editing", () => close()), ...choices(close)),
  ], { className: "wide" })
}

function content({ kind, keys }) {
  if (kind === "deletedThere") return [element("p", {}, "It was deleted there. What was changed here has no place any more.")]
  const isDeleted = kind === "deletedHere"
  const titles = ["Property", "As it was", ...(isDeleted ? [] : ["Mine"]), "In the store"]
  return [
    isDeleted && element("p", {}, "It was deleted here and changed there."),
    element(
      "table", { className: "plain" },
      element("thead", {}, element("tr", {}, ...titles.map((title) => element("th", { scope: "col" }, title)))),
      element("tbody", {}, ...keys.map((key) => element(
        "tr", {}, element("th", { scope: "row" }, key.key),
        ...[key.cached, ...(isDeleted ? [] : [key.mine]), key.theirs].map((cell) => element("td", {}, valueText(cell, 200))))))),
  ].filter(Boolean)
}
