import { openMenu } from "../core/menu.js"

/** Whether a column has a distribution; IDs have none, because they are unique. @param {string} type of the column */
export function hasDistribution(type) {
  return type !== "Object ID"
}

/** Lets the user choose the column whose distribution to show. */
export function showCharts(view, app) {
  const { model } = app
  const relationships = model.properties(view.entity).filter((one) => one.destination && one.kind !== "fetched" && !one.transient)
  const columns = [...model.storedAttributes(view.entity), ...relationships]
  openMenu(
    view.title, columns.map((one) => ({ text: one.name, hint: one.type ?? one.destination, action: () => view.showChart(one.name) })), "Distribution of a column")
}
