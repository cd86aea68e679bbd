/**
 * @typedef {{key: string, descending: boolean, localized: boolean}} SortKey
 */

/** Parses `-~lastName,age`. @returns {SortKey[]} */
export function sortKeys(text) {
  return (text ?? "").split(",").filter(Boolean).map((part) => {
    const descending = part.startsWith("-")
    const rest = descending ? part.slice(1) : part
    const localized = rest.startsWith("~")
    return { key: localized ? rest.slice(1) : rest, descending, localized }
  })
}

/** @param {SortKey[]} keys */
export function sortText(keys) {
  return keys.map((key) => (key.descending ? "-" : "") + (key.localized ? "~" : "") + key.key).join(",")
}

/**
 * The sort order after a click on a column's title: ascending, descending, none; with Shift the other columns are kept.
 * @param {string} text the current sort order
 * @param {string} key the key path of the column
 * @param {boolean} added whether Shift is pressed
 */
export function sortAfterClick(text, key, added) {
  const keys = sortKeys(text)
  const found = keys.find((one) => one.key === key)
  if (!found) {
    const fresh = { key, descending: false, localized: false }
    return sortText(added ? [...keys, fresh] : [fresh])
  }
  if (!added && keys.length > 1) return sortText([{ ...found, descending: false }])
  if (!found.descending) {
    found.descending = true
    return sortText(keys)
  }
  return sortText(keys.filter((one) => one !== found))
}
