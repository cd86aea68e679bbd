import CoreData

/// Child contexts, and how they follow the changes of their parents.
extension GraphWalk {
  func makeChild(_ member: WalkMember, _ choices: inout WalkStep.Choices) {
    // While the walk holds all queues, it makes no child, because it would not hold the child's queue.
    guard member.depth < 3, members.count < 8, !isHeld else { return }
    // The child finds objects by the IDs of the parent's objects, so the parent must hold all of them.
    for uid in member.current.objects.keys { _ = object(uid, member) }
    let isAutomatic = choices.once(in: 2)
    note("\(member.name): make child\(isAutomatic ? " that merges automatically" : "")")
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

  // MARK: Following the parent

  /// Applies the changes of a parent to its children.
  ///
  /// - Parameters:
  ///   - mergedSave: The save that the parent merged and that its children merge too, or nil if the children refresh
  ///     all objects.
  ///   - isToBeSaved: Whether the parent's next save contains all changes. Children that merge automatically wait for
  ///     that save.
  func follow(
    _ member: WalkMember, from old: NaiveGraph, _ mergedSave: MergedSave? = nil,
    isToBeSaved: Bool = false
  ) {
    if member.children.isEmpty { return }
    if isToBeSaved {
      for child in member.children where child.mergesAutomatically && child.behind == nil {
        child.behind = old
      }
    }
    let children = member.children.filter { $0.behind == nil }
    if !isToBeSaved { catchUp(member) }
    follow(member, children, from: old, mergedSave)
  }

  /// Applies the changes of a parent to the children that still wait for its next save.
  func catchUp(_ member: WalkMember) {
    for child in member.children {
      guard let old = child.behind else { continue }
      child.behind = nil
      follow(member, [child], from: old, nil)
    }
  }

  private func follow(
    _ member: WalkMember, _ children: [WalkMember], from old: NaiveGraph, _ mergedSave: MergedSave?
  ) {
    let new = member.current
    if children.isEmpty || new.difference(from: old).isEmpty { return }
    member.context.processPendingChanges()
    holdAll(member)
    for child in children {
      let isContradicted = contradicts(child, old, new)
      child.performing {
        let notifications = mergedSave?.notifications ?? []
        note("\(child.name): \(notifications.isEmpty ? "follow" : "merge")")
        if notifications.isEmpty { child.context.refreshAllObjects() }
        for notification in notifications {
          child.context.mergeChanges(fromContextDidSave: notification)
        }
        adopt(
          child, from: old, refreshed: notifications.isEmpty ? nil : mergedSave?.refreshed,
          isContradicted, mergedSave)
      }
    }
  }

  /// Makes a context hold all its objects. Its children find their own objects by the IDs of its objects.
  private func holdAll(_ member: WalkMember) {
    for uid in member.current.objects.keys { _ = object(uid, member) }
  }

  /// Applies the changes of a parent to the naive graph of a child.
  ///
  /// - Parameter refreshed: The merged objects, or nil for all objects.
  private func adopt(
    _ child: WalkMember, from old: NaiveGraph, refreshed: Set<Int>?, _ isContradicted: Bool,
    _ mergedSave: MergedSave?
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
      child.deletedByOtherContexts.insert(uid)
    }
    child.dirty = child.dirty.filter { child.current.objects[$0] != nil }
    if isContradicted { rollback(child, to: new.stored, follows: false) }
    follow(child, from: before, isContradicted ? nil : mergedSave)
  }

  // MARK: Automatic merges

  var hasMergesInProgress: Bool { members.contains { $0.merging != nil } }

  /// Records that the children that merge automatically have a save to merge: now, or, if the walk holds all queues,
  /// after it has released them.
  func expectMerges(of saved: Set<Int>, by member: WalkMember) {
    for child in member.children where child.mergesAutomatically {
      if isHeld {
        child.mergesLate = true
      } else {
        // The child may not have merged the previous save yet.
        child.merging = saved.union(child.merging ?? [])
      }
    }
  }

  /// Waits for the automatic merges to end. Do not call it on a context's queue, because a child that merges waits for
  /// its parent's queue.
  func awaitMerges() {
    for child in members {
      guard let saved = child.merging, let parent = child.parent else { continue }
      child.merging = nil
      // The second call waits for the blocks that the merge enqueues.
      for _ in 1...2 { child.performing {} }
      let hasNewChanges = child.behind != nil
      let old = child.behind ?? parent.current
      child.behind = nil
      parent.performing { holdAll(parent) }
      let isContradicted = contradicts(child, old, parent.current)
      child.performing {
        note("\(child.name): merged automatically\(hasNewChanges ? "" : ", without changes")")
        adopt(child, from: old, refreshed: saved, isContradicted, nil)
      }
    }
  }

  /// Applies the changes of a context's ancestors to it, and waits until the queues of its family are idle. A parent
  /// must not wait for a child that waits for the parent.
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
