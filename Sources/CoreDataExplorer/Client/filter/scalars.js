// Places in a predicate's text are counted in Unicode scalars by the server, in UTF-16 units by the browser.

/** How many scalars stand before a place in the browser's count. */
export function scalarsBefore(text, index) {
  return [...text.slice(0, index)].length
}

/** The place in the browser's count that has so many scalars before it. */
export function indexOfScalar(text, scalars) {
  return [...text].slice(0, scalars).join("").length
}
