/** What `/api/store` says: the store, its entities and their properties, by name. */
export class Model {
  /** @param {Object} store what the protocol calls the answer of `GET /api/store` */
  constructor(store) {
    this.store = store
    this.entities = store.entities
    this.byName = new Map(store.entities.map((entity) => [entity.name, entity]))
  }

  /** Whether something can be changed. */
  get isWritable() {
    return this.store.writable
  }

  entity(name) {
    return this.byName.get(name)
  }

  properties(name) {
    return this.byName.get(name)?.properties ?? []
  }

  property(entity, name) {
    return this.properties(entity).find((property) => property.name === name)
  }

  /** The entities in the order of a tree: below each its own, with their depth. */
  tree(parent = undefined, depth = 0) {
    return this.entities
      .filter((entity) => (entity.parent && this.byName.has(entity.parent) ? entity.parent : undefined) === parent)
      .flatMap((entity) => [{ entity, depth }, ...this.tree(entity.name, depth + 1)])
  }

  /** The entity and those below it of which there can be objects. */
  concrete(name) {
    const own = this.entity(name)
    const below = this.entities.filter((entity) => entity.parent === name).flatMap((entity) => this.concrete(entity.name))
    return own && !own.abstract ? [own, ...below] : below
  }
}
