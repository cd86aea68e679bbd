/** The content of `/api/store`: the store, its entities and their properties, by name. */
export class Model {
  /** @param {Object} store the answer of `GET /api/store` in the protocol */
  constructor(store) {
    this.store = store
    this.entities = store.entities
    this.byName = new Map(store.entities.map((entity) => [entity.name, entity]))
  }

  /** Whether the store can be changed. */
  get isWritable() {
    return this.store.writable
  }

  entity(name) {
    return this.byName.get(name)
  }

  properties(name) {
    return this.byName.get(name)?.properties ?? []
  }

  /** The attributes with stored values; composite ones are replaced by their elements. */
  storedAttributes(name) {
    return this.properties(name).filter((one) => one.kind === "attribute" && !one.transient).flatMap((one) => one.elements ?? [one])
  }

  property(entity, name) {
    const properties = this.properties(entity)
    // The name of a composite attribute's element is its key path.
    return properties.find((property) => property.name === name)
      ?? properties.find((property) => property.elements && name.startsWith(`${property.name}.`))?.elements.find((element) => element.name === name)
  }

  /** The entities in tree order, each followed by its subentities, with their depth. */
  tree(parent = undefined, depth = 0) {
    return this.entities
      .filter((entity) => (entity.parent && this.byName.has(entity.parent) ? entity.parent : undefined) === parent)
      .flatMap((entity) => [{ entity, depth }, ...this.tree(entity.name, depth + 1)])
  }

  /** The names of the entities whose objects a relationship may refer to. */
  destinations(relationship) {
    return this.concrete(relationship.destination).map((entity) => entity.name)
  }

  /** The names of the entities on a key path; empty for an attribute of the entity itself. */
  entitiesOn(entity, keyPath) {
    const reached = []
    let from = entity
    for (const key of keyPath.split(".")) {
      const property = this.property(from, key)
      if (!property?.destination) break
      reached.push(...this.destinations(property))
      from = property.destination
    }
    return reached
  }

  /**
   * Whether two references are to the same object. A primary key is unique among entities with a common ancestor; in
   * other entities, the same key belongs to a different object.
   * @param {{entity: string, id: string}|null|undefined} one @param {{entity: string, id: string}|null|undefined} other
   */
  isSame(one, other) {
    return Boolean(one && other) && one.id === other.id && this.#ancestor(one.entity) === this.#ancestor(other.entity)
  }

  #ancestor(name) {
    const parent = this.entity(name)?.parent
    return parent && this.byName.has(parent) ? this.#ancestor(parent) : name
  }

  /** The entity and its descendants that are not abstract. */
  concrete(name) {
    const own = this.entity(name)
    const below = this.entities.filter((entity) => entity.parent === name).flatMap((entity) => this.concrete(entity.name))
    return own && !own.abstract ? [own, ...below] : below
  }
}
