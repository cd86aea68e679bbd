import { showDialog } from "../core/dialog.js"
import { button, element } from "../core/element.js"
import { notice } from "../core/notices.js"

/** The steps of a query plan, indented. @param {{depth: number, text: string}[]} plan */
export function planList(plan) {
  return element("ul", { className: "plan" }, ...plan.map((step) => element(
    "li", { className: `depth${Math.min(step.depth, 6)}${/^SCAN (?!.*USING)|TEMP B-TREE/.test(step.text) ? " slow" : ""}` }, step.text)))
}

/** Shows the SQL of a table's request and SQLite's query plan. */
export async function showPlan(view) {
  let answer
  try {
    answer = await view.inspect("plan")
  } catch (error) {
    notice(error.message, "error")
    return
  }
  await showDialog("SQL and query plan", (close) => [
    element(
      "div", { className: "content" }, element("pre", {}, answer.sql), planList(answer.plan)),
    element("footer", {}, button("Close", () => close(), { autofocus: true })),
  ], { className: "wide" })
}
