// The browser counts positions in a predicate in UTF-16 code units. The server counts positions of errors and hints in
// user-perceived characters, and positions for completions in Unicode scalars.

/** How many scalars precede a position in UTF-16 units. */
export function scalarsBefore(text, index) {
  return [...text.slice(0, index)].length
}

const characters = new Intl.Segmenter("en", { granularity: "grapheme" })

/** The UTF-16 position of a user-perceived character. */
export function indexOfCharacter(text, count) {
  let passed = 0
  for (const { index } of characters.segment(text)) {
    if (passed === count) return index
    passed += 1
  }
  return text.length
}

/** The UTF-16 position of a scalar. */
export function indexOfScalar(text, scalars) {
  return [...text].slice(0, scalars).join("").length
}
