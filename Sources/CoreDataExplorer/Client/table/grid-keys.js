/** How much a key changes a column's width, in pixels. */
const step = 16

/**
 * Handles the keys of a grid. Arrow keys, Home, End and the page keys move between cells.
 *
 * On a row, Enter opens it and Space selects it. Shift with the up and down keys selects the row and the one that they
 * move to; Alt with these keys moves the row.
 *
 * On a title (above the first row), Enter and Space sort by the column; with Shift, by the column as an additional key.
 * Shift with the left and right keys changes the column's width; Alt with these keys moves the column. `m` and the
 * menu key open the column's menu.
 *
 * @param {import("./grid.js").Grid} grid
 * @param {Object} owner see `Grid`; also `moveRow(row, by)` for tables whose rows have an order
 */
export function listenToKeys(grid, owner) {
  grid.element.addEventListener("keydown", (event) => {
    if (event.target !== grid.element || event.metaKey) return
    const handled = grid.current.rank < 0 ? titleKey(event, grid, owner) : rowKey(event, grid, owner)
    if (handled || move(event, grid)) {
      event.preventDefault()
      event.stopPropagation()
    }
  })
}

function move(event, grid) {
  const { rank, column } = grid.current
  switch (event.key) {
    case "ArrowDown": grid.goTo(rank + 1); break
    case "ArrowUp": grid.goTo(rank - 1); break
    case "ArrowLeft": grid.goTo(rank, column - 1); break
    case "ArrowRight": grid.goTo(rank, column + 1); break
    case "PageDown": grid.goTo(rank + grid.linesSeen); break
    case "PageUp": grid.goTo(Math.max(0, rank - grid.linesSeen)); break
    case "Home": grid.goTo(0); break
    case "End": grid.goTo(Infinity); break
    default: return false
  }
  return true
}

function rowKey(event, grid, owner) {
  if (event.altKey && /^Arrow(Up|Down)$/.test(event.key)) {
    owner.moveRow(grid.currentRow, event.key === "ArrowUp" ? -1 : 1)
    return true
  }
  if (event.shiftKey && /^Arrow(Up|Down)$/.test(event.key)) {
    const before = grid.currentRow
    grid.goTo(Math.max(0, grid.current.rank + (event.key === "ArrowUp" ? -1 : 1)))
    for (const row of [before, grid.currentRow]) if (row && !grid.selected.has(row.id)) grid.toggleSelected(row)
    return true
  }
  switch (event.key) {
    case "Enter": grid.openCurrent(); return true
    case " ": grid.toggleSelected(); return true
    default: return false
  }
}

function titleKey(event, grid, owner) {
  const column = grid.currentColumn
  const side = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0
  if (side && event.shiftKey) {
    grid.header.resizeBy(column, side * step)
    return true
  }
  if (side && event.altKey) {
    owner.moveColumn(column, grid.current.column + side)
    return true
  }
  switch (event.key) {
    case "Enter":
    case " ": if (column.sortable) owner.sortBy(column, event.shiftKey); return true
    case "m":
    case "ContextMenu": owner.columnMenu(column, grid.header.cellAt(grid.current.column)); return true
    default: return false
  }
}
