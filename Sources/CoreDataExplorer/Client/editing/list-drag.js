import { element } from "../core/element.js"

/** Lines of a list can be dragged by a handle. The buttons beside it do the same for the keyboard. */
export const ListDrag = {
  /** @param {string} id of the object @param {function(string, number): void} move called with the id and the new position */
  handle(id, move) {
    return element("span", {
      className: "handle", "aria-hidden": "true",
      onpointerdown: (event) => {
        event.preventDefault()
        const item = event.currentTarget.closest("li")
        const list = item.parentElement
        const from = [...list.children].indexOf(item)
        item.classList.add("dragged")
        const go = (now) => {
          const over = document.elementFromPoint(now.clientX, now.clientY)?.closest("li")
          if (!over || over.parentElement !== list || over === item) return
          const box = over.getBoundingClientRect()
          if (now.clientY > box.top + box.height / 2) over.after(item)
          else over.before(item)
        }
        const end = () => {
          removeEventListener("pointermove", go)
          removeEventListener("pointerup", drop)
          removeEventListener("pointercancel", cancel)
          item.classList.remove("dragged")
        }
        const drop = () => {
          end()
          const to = [...list.children].indexOf(item)
          if (to !== from) move(id, to)
        }
        // The browser has cancelled the pointer, so nothing was dropped.
        const cancel = () => {
          end()
          item.remove()
          list.insertBefore(item, list.children[from] ?? null)
        }
        addEventListener("pointermove", go)
        addEventListener("pointerup", drop)
        addEventListener("pointercancel", cancel)
      },
    }, "⠿")
  },
}
