import { countText, dateText, sizeText, visibleText } from "./text.js"

/**
 * A cell's value on one line of text, for tables and screen readers.
 * @param {*} cell "a cell" in the protocol
 * @param {number} [limit] characters
 */
export function cellText(cell, limit = 240) {
  if (cell === null || cell === undefined) return ""
  switch (typeof cell) {
    case "string": return visibleText(cell, limit)
    case "number": return String(cell)
    case "boolean": return cell ? "yes" : "no"
  }
  switch (cell.t) {
    case "date": return dateText(cell.v)
    case "data": return sizeText(cell.size)
    case "ref": return visibleText(cell.label || `${cell.entity} ${cell.id}`, limit)
    case "many": return countText(cell.count === "10000+" ? cell.count : Number(cell.count))
    case "cut": return `${visibleText(cell.v, limit).replace(/…$/, "")}…`
    default: return visibleText(String(cell.v ?? ""), limit)
  }
}

/**
 * A cell's value outside a table: nil is `nil`, an empty string is `""`, and text that the server truncated is followed
 * by its full length.
 */
export function valueText(cell, limit) {
  if (cell === null || cell === undefined) return "nil"
  const length = cell.t === "cut" ? ` (${countText(cell.length)} characters)` : ""
  return (cellText(cell, limit) || '""') + length
}

/**
 * The first four values of a row on one line, for lists. Nil and values equal to the row's label are left out; an empty
 * string is `""`.
 * @param {{label: string, cells: Array}} row @param {number} limit the maximum number of characters of each
 */
export function summaryText(row, limit) {
  return row.cells.slice(0, 4).filter((cell) => cell !== null && cell !== undefined).map((cell) => cellText(cell, limit) || '""')
    .filter((text) => text !== row.label).join(" · ")
}

/** A cell's text for a column: dates without fractions, because there is no room. @param {string} text the result of `cellText` */
export function columnText(text, kind) {
  return kind === "date" ? text.replace(/\.\d+$/, "") : text
}

/**
 * The kind of a cell, which is its CSS class: `nil`, `empty`, `number`, `truth`, `ref`, `many`, `data`, `date`, `text`.
 */
export function cellKind(cell) {
  if (cell === null || cell === undefined) return "nil"
  if (typeof cell === "number") return "number"
  if (typeof cell === "boolean") return "truth"
  if (cell === "" || cell.v === "") return "empty"
  if (typeof cell === "string") return "text"
  switch (cell.t) {
    case "int64":
    case "decimal": return "number"
    case "ref":
    case "many":
    case "data":
    case "date": return cell.t
    default: return "text"
  }
}

/** Whether values of an attribute type are right-aligned. */
export function isNumeric(type) {
  return /^(Integer|Decimal|Double|Float)/.test(type) || type === "To Many"
}
