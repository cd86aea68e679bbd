/**
 * Restores the line ends of the stored text in edited text, because a browser's text area changes all line ends to
 * `\n`.
 * @param {string} typed the content of the text area @param {string} stored the text before editing
 */
export function withLineEnds(typed, stored) {
  if (!stored.includes("\r")) return typed
  const ends = [...stored.matchAll(/\r\n|\r|\n/g)].map(([end]) => end)
  const lines = stored.split(/\r\n|\r|\n/)
  const typedLines = typed.split("\n")
  // Lines before and after the change keep their line ends; new lines get the most frequent stored one, and of equally
  // frequent ones the first.
  let before = 0
  while (before < Math.min(lines.length, typedLines.length) && lines[before] === typedLines[before]) before += 1
  const counts = new Map()
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1)
  const [[usual]] = [...counts].sort(([, one], [, other]) => other - one)
  const shift = lines.length - typedLines.length
  return typedLines.map((line, index) => {
    if (index === typedLines.length - 1) return line
    return line + (index < before ? ends[index] ?? usual : (index + shift >= before ? ends[index + shift] : undefined) ?? usual)
  }).join("")
}
