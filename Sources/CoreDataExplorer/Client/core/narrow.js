/** Whether the page is so narrow that its panes are shown one at a time. */
export function isNarrow() {
  return matchMedia("(max-width: 700px)").matches
}
