// Places in a predicate's text are counted in Unicode scalars by the server, in UTF-16 units by the browser.

/** How many scalars stand before a place in the browser's count. */
export function scalarsBefore(text, index) {
  return [...text.slice(0, index)].length
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" })

/** The place in the browser's count that has so many characters, as people count them, before it: mistakes are told so. */
export function indexOfCharacter(text, count) {
  let passed = 0
  for (const { index } of characters.segment(text)) {
    if (passed === count) return index
    passed += 1
  }
  return text.length
}

/** The place in the browser's count that has so many scalars before it. */
export function indexOfScalar(text, scalars) {
  return [...text].slice(0, scalars).join("").length
}
