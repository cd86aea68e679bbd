import { element } from "../core/element.js"
import { showDialog } from "../core/dialog.js"

const groups = [
  ["Table", [
    ["↑ ↓ ← →", "the cell above, below, beside"], ["Home, End", "first and last row"], ["Page Up, Page Down", "a page of rows"],
    ["Enter", "open the object"], ["Space", "select the row"], ["Shift ↑ ↓", "select more rows"], ["Alt ↑ ↓", "move the row, if the rows have an order"],
  ]],
  ["Titles (up from the first row)", [
    ["Enter", "sort; with Shift, add to the sort order"], ["Shift ← →", "change the width"], ["Alt ← →", "move the column"], ["m", "column menu"],
  ]],
  ["Everywhere", [
    ["/", "filter"], ["Esc", "back: closes what is open"], ["g", "to the list of entities"], ["?", "this list"],
  ]],
]
const changing = ["Changes", [
  ["e", "edit the object, at the current column"], ["n", "new object"], ["Del", "delete"], ["z", "undo"], ["Shift z", "redo"], ["s", "save"],
]]

/** Shows the list of keyboard shortcuts. */
export function showKeys(isWritable) {
  return showDialog("Keyboard shortcuts", () => element(
    "div", { className: "content keys" },
    ...[...groups, ...(isWritable ? [changing] : [])].map(([title, keys]) => element(
      "section", {}, element("h3", {}, title),
      element("dl", {}, ...keys.flatMap(([key, what]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, what)]))))))
}
