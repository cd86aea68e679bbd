/** Whether the page is so narrow that its panes are pages, one at a time. */
export function isNarrow() {
  return matchMedia("(max-width: 700px)").matches
}
