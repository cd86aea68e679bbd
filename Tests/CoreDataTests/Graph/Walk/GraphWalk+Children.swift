import CoreData

/// Children, and how they hear of what happens in their parent.
extension GraphWalk {
  func makeChild(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    // The queue of a new child is not among those that are held.
    guard member.depth < 3, members.count < 8, !isHeld else { return }
    // The child is told by IDs of what is here.
    for uid in member.current.objects.keys { _ = object(uid, member) }
    let isAutomatic = choices.once(in: 2)
    note("\(member.name): make child\(isAutomatic ? " that merges by itself" : "")")
    let context = NSManagedObjectContext(
      concurrencyType: isOnMainQueue && !choices.once(in: 3)
        ? .mainQueueConcurrencyType : .privateQueueConcurrencyType)
    context.parent = member.context
    context.automaticallyMergesChangesFromParent = isAutomatic
    leaks.watch(context)
    var graph = member.current.stored
    graph.touched = []
    let child = WalkMember(
      "\(member.name).\(member.children.count)", context, parent: member, graph)
    child.mergesAutomatically = isAutomatic
    member.children.append(child)
  }

  func dropChild(_ member: WalkMember) {
    if let child = member.children.popLast() { note("drop \(child.name)") }
  }

  // MARK: Told

  /// Has the children take over what was changed in their parent.
  ///
  /// - Parameters:
  ///   - news: the save that the parent merged, which its children merge too; nil where they are to
  ///     refresh everything.
  ///   - isToBeSaved: whether all of it is in the parent's next save, which some merge by themselves.
  func follow(
    _ member: WalkMember, from old: NaiveGraph, _ news: News? = nil, isToBeSaved: Bool = false
  ) {
    if member.children.isEmpty { return }
    if isToBeSaved {
      for child in member.children where child.mergesAutomatically && child.behind == nil {
        child.behind = old
      }
    }
    let children = member.children.filter { $0.behind == nil }
    if !isToBeSaved { catchUp(member) }
    follow(member, children, from: old, news)
  }

  /// Has those children follow that were left to merge by themselves.
  func catchUp(_ member: WalkMember) {
    for child in member.children {
      guard let old = child.behind else { continue }
      child.behind = nil
      follow(member, [child], from: old, nil)
    }
  }

  private func follow(
    _ member: WalkMember, _ children: [WalkMember], from old: NaiveGraph, _ news: News?
  ) {
    let new = member.current
    if children.isEmpty || new.difference(from: old).isEmpty { return }
    member.context.processPendingChanges()
    nameAll(member)
    for child in children {
      let isContradicted = contradicts(child, old, new)
      child.performing {
        let notifications = news?.notifications ?? []
        note("\(child.name): \(notifications.isEmpty ? "follow" : "merge")")
        if notifications.isEmpty { child.context.refreshAllObjects() }
        for notification in notifications {
          child.context.mergeChanges(fromContextDidSave: notification)
        }
        takeOver(
          child, from: old, refreshed: notifications.isEmpty ? nil : news?.refreshed,
          isContradicted, news)
      }
    }
  }

  /// Children are told by IDs of what is here.
  private func nameAll(_ member: WalkMember) {
    for uid in member.current.objects.keys { _ = object(uid, member) }
  }

  /// A child has what its parent has.
  ///
  /// - Parameter refreshed: the objects that were merged; nil for all.
  private func takeOver(
    _ child: WalkMember, from old: NaiveGraph, refreshed: Set<Int>?, _ isContradicted: Bool,
    _ news: News?
  ) {
    guard let new = child.parent?.current else { return }
    let before = child.current
    child.current = before.rebased(from: old.stored, onto: new.stored)
    for (uid, object) in before.objects {
      let isKept =
        child.dirty.contains(uid) || old.objects[uid] == nil || refreshed?.contains(uid) == false
      child.current.objects[uid]?.mood = isKept ? object.mood : nil
    }
    for uid in old.objects.keys where new.objects[uid] == nil {
      child.held[uid] = nil
      child.deletedElsewhere.insert(uid)
    }
    child.dirty = child.dirty.filter { child.current.objects[$0] != nil }
    if isContradicted { rollback(child, to: new.stored, follows: false) }
    follow(child, from: before, isContradicted ? nil : news)
  }

  // MARK: By themselves

  var awaitsMerges: Bool { members.contains { $0.merging != nil } }

  /// A context saved: children that merge that by themselves have begun to.
  func expectMerges(of saved: Set<Int>, by member: WalkMember) {
    for child in member.children where child.mergesAutomatically {
      if isHeld {
        child.mergesLate = true
      } else {
        // It may not have merged the save before.
        child.merging = saved.union(child.merging ?? [])
      }
    }
  }

  /// Waits for the merges that go on. Nobody is on a queue: a child that merges waits for its parent.
  func hear() {
    for child in members {
      guard let saved = child.merging, let parent = child.parent else { continue }
      child.merging = nil
      // The second time is for what the merge enqueues.
      for _ in 1...2 { child.performing {} }
      let isNews = child.behind != nil
      let old = child.behind ?? parent.current
      child.behind = nil
      parent.performing { nameAll(parent) }
      let isContradicted = contradicts(child, old, parent.current)
      child.performing {
        note("\(child.name): merged by itself\(isNews ? "" : " what it had")")
        takeOver(child, from: old, refreshed: saved, isContradicted, nil)
      }
    }
  }

  /// Makes sure that a context shows what those above it have, and that its children have nothing to
  /// do: a parent must not wait for a child that waits for it.
  func prepare(_ member: WalkMember) {
    var above: [WalkMember] = []
    var next = member.parent
    while let parent = next {
      above.insert(parent, at: 0)
      next = parent.parent
    }
    if !isHeld { for other in (above.first ?? member).family { other.performing {} } }
    for parent in above { parent.performing { catchUp(parent) } }
  }
}
