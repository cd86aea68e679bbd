import { graphic } from "../core/element.js"
import { isNarrow } from "../core/narrow.js"
import { counted, dateText, visibleText } from "../core/text.js"

const size = { lane: 34, name: 13, axis: 18, side: 14 }

/** The maximum number of lines; the last authors share the last line. */
const most = 8

/**
 * Transactions on a time axis, with a line for each author; the size of a dot depends on the number of changes.
 *
 * @param {{id: number, date: string, author: ?string, total: number}[]} transactions newest first
 * @param {function(string): number} hueOf returns the number of an author's color
 * @param {function(number): void} show called with the number of a transaction when it is clicked
 */
export function historyLine(transactions, hueOf, show) {
  const authors = [...new Set(transactions.map(({ author }) => author ?? ""))]
  // The picture is about as wide as it is displayed, so that its text has the usual size.
  const width = isNarrow() ? 360 : 1080
  const lanes = Math.min(authors.length, most)
  const height = lanes * size.lane + size.axis
  const times = transactions.map(({ date }) => Date.parse(date))
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const x = (time) => size.side + (last > first ? (time - first) / (last - first) : 0.5) * (width - 2 * size.side)
  const y = (lane) => lane * size.lane + size.name + (size.lane - size.name) / 2
  const names = Array.from({ length: lanes }, (_, lane) =>
    lane === most - 1 && authors.length > most ? "others" : visibleText(authors[lane], 60) || "no author")
  const dots = transactions.map((transaction, index) => {
    const author = transaction.author ?? ""
    return graphic(
      "circle", {
        class: `moment hue${hueOf(author)}`, cx: x(times[index]), cy: y(Math.min(authors.indexOf(author), lanes - 1)),
        r: 3 + Math.min(6, Math.log2(1 + transaction.total)), onclick: () => show(transaction.id),
      },
      graphic("title", {}, `${dateText(transaction.date)}, ${visibleText(author, 60) || "no author"}: ${counted(transaction.total, "change")}`))
  })
  const ends = [dateText(transactions.at(-1).date), dateText(transactions[0].date)].map((date) => date.slice(0, 19))
  return graphic(
    "svg", {
      class: "chart history-line", viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `${counted(transactions.length, "transaction")} of ${counted(authors.length, "author")}, ${ends[0]} to ${ends[1]}; the list below shows all of them`,
    },
    names.map((name, lane) => graphic(
      "g", {},
      graphic("text", { x: size.side, y: lane * size.lane + size.name - 2 }, name),
      graphic("line", { class: "lane", x1: size.side, x2: width - size.side, y1: y(lane), y2: y(lane) }))),
    dots,
    graphic("text", { x: size.side, y: height - 4 }, ends[0]),
    last > first && graphic("text", { x: width - size.side, y: height - 4, "text-anchor": "end" }, ends[1]))
}
