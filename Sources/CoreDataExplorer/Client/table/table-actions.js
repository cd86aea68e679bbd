import { showCharts } from "../pictures/chart-menu.js"
import { exportTable } from "../inspection/export.js"
import { showPlan } from "../inspection/plan.js"
import { showSwift } from "../inspection/swift.js"
import { changeAll } from "../editing/bulk-dialog.js"

/** What can be done with all rows of a table. */
export function tableActions(view, app) {
  const isNarrow = matchMedia("(max-width: 700px)").matches
  return [
    // Where there is no room for their buttons.
    ...(isNarrow
      ? [{ text: "Columns…", action: () => view.chooseColumns() }, { text: "Sections…", action: () => view.sectionMenu(view.title) }, null]
      : []),
    { text: "Distribution of a column…", action: () => showCharts(view, app) },
    null,
    { text: "Copy as Swift…", action: () => showSwift(view) },
    { text: "SQL and query plan…", action: () => showPlan(view) },
    null,
    // In a spreadsheet a text such as "=1+1" is run: what a stranger's store holds gets an apostrophe before it.
    { text: "Export as CSV…", hint: "formulas quoted", action: () => exportTable(view, "csv") },
    { text: "Export as CSV, values as they are…", action: () => exportTable(view, "csv", { formulas: "plain" }) },
    { text: "Export as JSON…", action: () => exportTable(view, "json") },
    ...(app.model.isWritable
      ? [null, { text: "Change all these rows…", action: () => changeAll(view, app, false) }, { text: "Delete all these rows…", action: () => changeAll(view, app, true) }]
      : []),
  ]
}
