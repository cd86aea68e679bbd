import { cellText } from "../core/cells.js"
import { showDialog } from "../core/dialog.js"
import { button, element } from "../core/element.js"
import { visibleText } from "../core/text.js"

/**
 * Shows objects that somebody else has saved meanwhile, with the three values of each property: as it was when it was read, as it is here,
 * as it is in the store.
 * @returns {Promise<"mine"|"theirs"|undefined>}
 */
export function resolveConflicts(conflicts) {
  return showDialog("Somebody else has saved these meanwhile", (close) => [
    element(
      "div", { className: "content conflicts" },
      ...conflicts.map((conflict) => element(
        "section", {}, element("h3", {}, visibleText(conflict.label, 120), element("small", {}, ` ${conflict.entity} ${conflict.id}`)),
        conflict.deleted
          ? element("p", {}, "It was deleted there.")
          : element(
            "table", { className: "plain" },
            element("thead", {}, element("tr", {}, ...["Property", "As it was", "Mine", "In the store"].map((title) => element("th", { scope: "col" }, title)))),
            element("tbody", {}, ...conflict.keys.map((key) => element(
              "tr", {}, element("th", { scope: "row" }, key.key), ...[key.cached, key.mine, key.theirs].map((cell) => element("td", {}, cellText(cell, 200) || "nil"))))))))),
    element(
      "footer", {}, button("Go on editing", () => close()), button("Take theirs", () => close("theirs")),
      button("Keep mine", () => close("mine"), { className: "primary" })),
  ], { className: "wide" })
}
