import { button, element } from "../core/element.js"
import { pickObject } from "./object-picker.js"
import { ListDrag } from "./list-drag.js"

/**
 * The actions for a relationship while its object is edited.
 * @returns {{head: Node[], row?: function(Object, number): Node[]}}
 */
export function relationshipActions(app, object, relationship, property) {
  const { editor } = app
  const link = (op, other) => editor.perform([{
    op, entity: object.entity, id: object.id, relationship: relationship.name, other: { entity: other.entity, id: other.id },
  }]).then(() => app.refreshObject())
  const choose = async () => {
    const other = await pickObject(app, relationship.destination, relationship.name)
    if (other) link("link", other)
  }
  if (!relationship.toMany) {
    return {
      head: [
        button("Choose", choose, { label: `Choose ${relationship.name}` }),
        relationship.object && button("✕", () => link("unlink", relationship.object), { label: `No ${relationship.name}`, className: "quiet" }),
      ],
    }
  }
  const move = (id, to) => editor.perform([{
    op: "move", entity: relationship.destination, id, in: { entity: object.entity, id: object.id, relationship: relationship.name }, to,
  }]).then(() => app.refreshObject())
  return {
    head: [element(
      "p", { className: "actions" }, button("Add", choose, { label: `Add to ${relationship.name}` }),
      button("New", () => editor.insert(relationship.destination, { entity: object.entity, id: object.id, relationship: relationship.name }), { label: `New in ${relationship.name}` }))],
    row: (row, index) => [
      ...(property?.ordered
        ? [
          button("↑", () => move(row.id, index - 1), { label: `${row.label}: up`, className: "quiet", disabled: index === 0 }),
          button("↓", () => move(row.id, index + 1), { label: `${row.label}: down`, className: "quiet" }),
          ListDrag.handle(row.id, move),
        ]
        : []),
      button("✕", () => link("unlink", row), { label: `Remove ${row.label}`, className: "quiet" }),
    ],
  }
}
