import { openMenu } from "../core/menu.js"

/** Asks of which column the distribution shall be shown. */
export function showCharts(view, app) {
  const attributes = app.model.properties(view.entity).filter((one) => one.kind === "attribute" && !/Binary|Transformable|Composite|UUID/.test(one.type))
  openMenu(
    view.title, attributes.map((one) => ({ text: one.name, hint: one.type, action: () => view.showChart(one.name) })), "Distribution of a column")
}
