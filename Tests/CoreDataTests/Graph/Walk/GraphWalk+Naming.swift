import CoreData

/// Requests whose predicates compare with an object, which may be unsaved or just saved.
extension GraphWalk {
  func fetchNaming(_ member: WalkMember, _ choices: inout WalkStep.Choices) throws -> String? {
    guard let uid = choices.element(member.current.uids), let object = object(uid, member),
      let naive = member.current.objects[uid]
    else { return nil }
    var forms: [(entity: String, format: String, isMatch: (NaiveGraph.Object, Int) -> Bool)] = [
      (naive.entity, "SELF == %@", { $1 == uid }), (naive.entity, "SELF IN {%@}", { $1 == uid }),
    ]
    switch naive.entity {
    case "Node", "Leader":
      forms.append(("Item", "owner == %@", { other, _ in other.one["owner"] == uid }))
      forms.append(("Node", "parent == %@", { other, _ in other.one["parent"] == uid }))
      forms.append(("Badge", "owner IN {%@}", { other, _ in other.one["owner"] == uid }))
    case "Tag":
      forms.append(
        ("Node", "ANY tags == %@", { other, _ in other.many["tags"]?.contains(uid) == true }))
    case "Vault": forms.append(("Node", "vault == %@", { other, _ in other.one["vault"] == uid }))
    default: break
    }
    guard let form = choices.element(forms) else { return nil }
    // The recorded ID is the first coordinator's, whatever the coordinator of this context.
    let id = choices.once(in: 3) ? ids[uid] : nil
    let named: Any = if let id { id } else { object }
    let manner = id == nil ? "" : ", by its ID"
    let text = "\(form.entity) \(form.format) of \(uid)\(manner)"
    func expected(_ graph: NaiveGraph) -> [Int] {
      graph.uids(of: form.entity).filter { other in
        graph.objects[other].map { form.isMatch($0, other) } ?? false
      }
    }
    func request<Result: NSFetchRequestResult>(_ type: Result.Type) -> NSFetchRequest<Result> {
      let request = NSFetchRequest<Result>(entityName: form.entity)
      request.predicate = NSPredicate(format: form.format, argumentArray: [named])
      request.sortDescriptors = [NSSortDescriptor(key: "uid", ascending: true)]
      return request
    }
    note("\(member.name): requests for \(text)")
    let wanted = expected(member.current)
    func uids(_ objects: [NSManagedObject]) -> [Int] {
      objects.map { $0.value(forKey: "uid") as? Int ?? -1 }
    }
    let found = uids(try member.context.fetch(request(NSManagedObject.self)))
    if found != wanted { return "\(text): \(found) instead of \(wanted)" }
    let count = try member.context.count(for: request(NSManagedObject.self))
    if count != wanted.count { return "\(text): \(count) instead of \(wanted.count)" }
    let controller = NSFetchedResultsController(
      fetchRequest: request(NSManagedObject.self), managedObjectContext: member.context,
      sectionNameKeyPath: nil, cacheName: nil)
    try controller.performFetch()
    let shown = uids(controller.fetchedObjects ?? [])
    if shown != wanted { return "a controller for \(text): \(shown) instead of \(wanted)" }
    let dictionaries = request(NSDictionary.self)
    dictionaries.resultType = .dictionaryResultType
    dictionaries.propertiesToFetch = ["uid"]
    let stored = try member.context.fetch(dictionaries).map { $0["uid"] as? Int ?? -1 }
    let storedHere = store.objects[uid] == nil ? [] : expected(store)
    if stored != storedHere {
      return "dictionaries for \(text): \(stored) instead of \(storedHere)"
    }
    return nil
  }
}
