import { openMenu } from "../core/menu.js"

/** Whether values of a type are so few or so ordered that their spread says something; the server counts those of no other. */
export function hasDistribution(type) {
  return /^(Integer|Decimal|Double|Float|Boolean|Date|String)/.test(type)
}

/** Asks of which column the distribution shall be shown. */
export function showCharts(view, app) {
  const attributes = app.model.properties(view.entity).filter((one) => one.kind === "attribute" && !one.transient && hasDistribution(one.type))
  openMenu(
    view.title, attributes.map((one) => ({ text: one.name, hint: one.type, action: () => view.showChart(one.name) })), "Distribution of a column")
}
