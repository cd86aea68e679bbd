import { openMenu } from "../core/menu.js"
import { hasDistribution } from "../pictures/chart-menu.js"
import { sortKeys, sortText } from "./sort-order.js"

/**
 * Opens the menu of a column.
 * @param {Object} column @param {HTMLElement} below
 * @param {{query: Object, columns: Object[], change: function(Object): void, showChart: function(string): void, moveColumn: Function, resizeBy: Function}} table
 */
export function openColumnMenu(column, below, table) {
  const order = sortKeys(table.query.sort)
  const others = order.filter((one) => one.key !== column.key)
  const own = order.find((one) => one.key === column.key)
  const sort = (descending, localized) => () =>
    table.change({ sort: sortText([{ key: column.key, descending, localized }]) })
  const index = table.columns.indexOf(column)
  const isText = column.type === "String"
  const isPlain = column.sortable
  openMenu(below, [
    isPlain && { text: "Sort ascending", action: sort(false, false) },
    isPlain && { text: "Sort descending", action: sort(true, false) },
    isPlain && isText && { text: "Natural sort", action: sort(false, true) },
    isPlain && order.length > 0 && !own && {
      text: "Then sort by this", hint: "Shift+click",
      action: () => table.change({ sort: sortText([...order, { key: column.key, descending: false, localized: false }]) }),
    },
    own && { text: "Do not sort by this", action: () => table.change({ sort: sortText(others) }) },
    isPlain && null,
    isPlain && {
      text: table.query.section === column.key ? "No sections" : "Sections by this",
      action: () => table.change({ section: table.query.section === column.key ? "" : column.key }),
    },
    hasDistribution(column.type) && { text: "Distribution of values", action: () => table.showChart(column.key) },
    (isPlain || hasDistribution(column.type)) && null,
    { text: "Move left", hint: "Alt ←", disabled: index === 0, action: () => table.moveColumn(column, index - 1) },
    { text: "Move right", hint: "Alt →", disabled: index === table.columns.length - 1, action: () => table.moveColumn(column, index + 1) },
    { text: "Wider", hint: "Shift →", action: () => table.resizeBy(column, 48) },
    { text: "Narrower", hint: "Shift ←", action: () => table.resizeBy(column, -48) },
    {
      text: "Hide", disabled: table.columns.length === 1,
      action: () => table.change({ columns: table.columns.filter((one) => one !== column).map((one) => one.key).join(",") }),
    },
  ].filter((item) => item !== false && item !== undefined), `Column ${column.title}`)
}
