import { openMenu } from "../core/menu.js"

/** Whether something can be counted of a column's values; of IDs there is one for each row. @param {string} type the column's */
export function hasDistribution(type) {
  return type !== "Object ID"
}

/** Asks of which column the distribution shall be shown. */
export function showCharts(view, app) {
  const { model } = app
  const relationships = model.properties(view.entity).filter((one) => one.destination && one.kind !== "fetched" && !one.transient)
  const columns = [...model.storedAttributes(view.entity), ...relationships]
  openMenu(
    view.title, columns.map((one) => ({ text: one.name, hint: one.type ?? one.destination, action: () => view.showChart(one.name) })), "Distribution of a column")
}
