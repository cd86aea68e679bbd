import { path, query } from "./api.js"

/**
 * What a page shows, as encoded in its address.
 *
 * @typedef {Object} TableQuery
 * @property {string} entity
 * @property {string} [where] the predicate's text
 * @property {string} [sort] key paths, each preceded by `-` for descending and `~` for natural order
 * @property {string} [section] a key path
 * @property {string} [columns] key paths; empty for all columns of the entity
 *
 * @typedef {Object} Place
 * @property {"overview"|"table"|"object"|"diagram"|"history"|"requests"|"store"} page
 * @property {TableQuery} [table] the table in the middle, for pages `table` and `object`
 * @property {number} [at] the first visible row
 * @property {string} [chart] the column whose distribution is shown beside the table
 * @property {{entity: string, id: string}} [object]
 */

const tableKeys = ["where", "sort", "section", "columns"]

/** @param {{pathname: string, search: string}} location @returns {Place} */
export function placeOf(location) {
  const parts = location.pathname.split("/").filter(Boolean).map(decoded)
  const search = new URLSearchParams(location.search)
  if (parts[0] !== "entities" || parts.length < 2) {
    return { page: ["diagram", "history", "requests", "store"].includes(parts[0]) ? parts[0] : "overview" }
  }
  const object = parts.length > 2 ? { entity: parts[1], id: parts[2] } : undefined
  const table = { entity: search.get("in") || parts[1] }
  for (const key of tableKeys) table[key] = search.get(key) ?? ""
  return {
    page: object ? "object" : "table",
    table,
    at: Number.parseInt(search.get("at") ?? "0", 10) || 0,
    chart: search.get("chart") ?? "",
    object,
  }
}

/** Decodes a part of a path. A part that is not encoded correctly stays as it is, as on the server. */
function decoded(part) {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** @param {Place} place @returns {string} */
export function addressOf(place) {
  if (place.page === "overview") return "/"
  if (!place.table) return "/" + place.page
  const { table, object } = place
  const parameters = {}
  for (const key of tableKeys) parameters[key] = table[key]
  parameters.at = place.at || ""
  if (!object) {
    return path("entities", table.entity) + query({ ...parameters, chart: place.chart })
  }
  const other = object.entity === table.entity ? "" : table.entity
  return path("entities", object.entity, object.id) + query({ in: other, ...parameters })
}

/** The parameters of requests for a table's rows. */
export function tableParameters(table) {
  return Object.fromEntries(tableKeys.map((key) => [key, table[key]]))
}

/** Whether two tables show the same rows and columns. */
export function isSameTable(one, other) {
  if (!one || !other || one.entity !== other.entity) return false
  return tableKeys.every((key) => (one[key] || "") === (other[key] || ""))
}
