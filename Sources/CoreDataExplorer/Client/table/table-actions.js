import { showCharts } from "../pictures/chart-menu.js"
import { exportTable } from "../inspection/export.js"
import { showPlan } from "../inspection/plan.js"
import { showSwift } from "../inspection/swift.js"
import { changeAll } from "../editing/bulk-dialog.js"

/** The actions for all rows of a table. */
export function tableActions(view, app) {
  const isNarrow = matchMedia("(max-width: 700px)").matches
  return [
    // A narrow page has no room for the buttons with these two actions.
    ...(isNarrow
      ? [{ text: "Columns…", action: () => view.chooseColumns() }, { text: "Sections…", action: () => view.sectionMenu(view.title) }, null]
      : []),
    { text: "Distribution of a column…", action: () => showCharts(view, app) },
    null,
    { text: "Copy as Swift…", action: () => showSwift(view) },
    { text: "SQL and query plan…", action: () => showPlan(view) },
    null,
    // A spreadsheet runs text such as "=1+1" as a formula, so by default an apostrophe is put before such text, which
    // may come from an untrusted source.
    { text: "Export as CSV…", hint: "formulas quoted", action: () => exportTable(view, "csv") },
    { text: "Export as CSV, raw values…", action: () => exportTable(view, "csv", { formulas: "plain" }) },
    { text: "Export as JSON…", action: () => exportTable(view, "json") },
    ...(app.model.isWritable
      ? [null, { text: "Change all these rows…", action: () => changeAll(view, app, false) }, { text: "Delete all these rows…", action: () => changeAll(view, app, true) }]
      : []),
  ]
}
