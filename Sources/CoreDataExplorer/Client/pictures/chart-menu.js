import { openMenu } from "../core/menu.js"

/** Whether something can be counted of a column's values; of IDs there is one for each row. @param {string} type the column's */
export function hasDistribution(type) {
  return type !== "Object ID"
}

/** Asks of which column the distribution shall be shown. */
export function showCharts(view, app) {
  // What no row keeps is not counted; of a composite attribute its elements are.
  const stored = app.model.properties(view.entity).filter((one) => one.kind !== "fetched" && !one.transient)
  const columns = stored.flatMap((one) => (one.elements ? one.elements.map((element) => [element.name, element.type]) : [[one.name, one.type ?? one.destination]]))
  openMenu(
    view.title, columns.map(([key, hint]) => ({ text: key, hint, action: () => view.showChart(key) })), "Distribution of a column")
}
