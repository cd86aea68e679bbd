import CoreData
import Predicates

@testable import CoreData

extension AgreementWorld {
  /// Runs all evaluators on a case whose changes have been applied.
  ///
  /// - Parameter isPending: Whether the fetch runs in the context with the changes, rather than in a new one.
  func answers(to test: AgreementCase, isPending: Bool) -> Answers {
    context.performAndWait {
      var answers = Answers()
      let (format, arguments) = test.tree.format
      answers.format = format
      answers.arguments = arguments.map(\.description)
      let predicate: NSPredicate
      do {
        predicate = try NSPredicate(
          validating: format, arguments: arguments.map { value(of: $0) })
      } catch {
        answers.add(.dynamic, .failed("parsing: \(error.localizedDescription)"))
        return answers
      }
      let candidates = objects(of: test.entity, withSubentities: test.withSubentities)
      answers.candidates = candidates.count
      let request = NSFetchRequest<NSManagedObject>(entityName: test.entity)
      request.predicate = predicate
      request.includesSubentities = test.withSubentities
      answers.add(
        .dynamic,
        answer {
          try candidates.filter { try predicate.evaluated(with: $0.object, nilRule: .store) }
        })
      let plan: FetchPlan
      do {
        plan = try FetchPlan(request, in: coordinator.layouts)
      } catch {
        answers.add(.bound, refusal(error))
        return answers
      }
      answers.add(
        .bound, answer { try candidates.filter { try plan.membership.matches($0.object) } })
      if isPending {
        fetch(request, in: context, &answers)
      } else {
        let fresh = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        fresh.persistentStoreCoordinator = coordinator
        fresh.performAndWait { fetch(request, in: fresh, &answers) }
      }
      let words = answers.format.lowercased()
      let hasNil =
        test.tree.canMakeNil || words.contains("nil") || words.contains("null")
        || arguments.contains { value(of: $0) is NSNull }
      if !hasNil, let plain = plainAnswer(predicate, candidates) {
        answers.add(.plain, plain)
      }
      return answers
    }
  }

  private func answer(_ body: () throws -> [(row: Int, object: NSManagedObject)]) -> Answer {
    do {
      return .rows(Set(try body().map(\.row)))
    } catch {
      return .failed(error.localizedDescription)
    }
  }

  private func fetch(
    _ request: NSFetchRequest<NSManagedObject>, in context: NSManagedObjectContext,
    _ answers: inout Answers
  ) {
    do {
      let fetched = try context.fetch(request)
      let rows = fetched.compactMap { rowNumbers[$0.objectID] }
      if rows.count != fetched.count || Set(rows).count != rows.count {
        answers.add(.fetch, .failed("\(fetched.count) objects for the rows \(rows.sorted())"))
      } else {
        answers.add(.fetch, .rows(Set(rows)))
      }
    } catch {
      answers.add(.fetch, refusal(error))
    }
    do {
      answers.add(.count, .count(try context.count(for: request)))
    } catch {
      answers.add(.count, refusal(error))
    }
  }

  /// Returns the answer for an error of a fetch: a refusal if the construct is on the list of those that stores do
  /// not support, otherwise a failure.
  private func refusal(_ error: any Error) -> Answer {
    let text = error.localizedDescription
    if let known = KnownRefusals.reason(in: text) { return .refused(known) }
    return .failed(text)
  }

  /// Returns the answer with Foundation's rule for nil, or nil if a value that was read is nil, because then the rules
  /// of stores and of Foundation differ on purpose.
  private func plainAnswer(
    _ predicate: NSPredicate, _ candidates: [(row: Int, object: NSManagedObject)]
  ) -> Answer? {
    let reading = WatchedReading()
    var rows: Set<Int> = []
    for (row, object) in candidates {
      do {
        let watched = WatchedObject(object, reading)
        if try predicate.evaluated(with: watched, nilRule: .foundation) { rows.insert(row) }
      } catch {
        return reading.sawNil ? nil : .failed(error.localizedDescription)
      }
      if reading.sawNil { return nil }
    }
    return .rows(rows)
  }
}

/// Records whether nil was read.
final class WatchedReading {
  var sawNil = false
}

/// A managed object that records reads of nil from it and from objects it refers to.
final class WatchedObject: ThrowingKeyValueCoding, IdentityComparable {
  private let object: NSManagedObject
  private let reading: WatchedReading

  init(_ object: NSManagedObject, _ reading: WatchedReading) {
    self.object = object
    self.reading = reading
  }

  package var comparableIdentity: AnyHashable { object.objectID }

  package func readValue(forKey key: String) throws -> Any? {
    if key == "self" || key == "SELF" { return self }
    let value = try KeyPathEvaluator.value(of: object, forKey: key)
    switch value {
    case nil:
      reading.sawNil = true
      return nil
    case let object as NSManagedObject: return WatchedObject(object, reading)
    case let set as NSOrderedSet: return set.array.map(watched)
    case let set as NSSet: return set.allObjects.map(watched)
    default: return value
    }
  }

  private func watched(_ member: Any) -> Any {
    (member as? NSManagedObject).map { WatchedObject($0, reading) } ?? member
  }

  func value(forKey key: String) -> Any? {
    do { return try readValue(forKey: key) } catch { return nil }
  }
}

/// The constructs that a store may refuse although they can be evaluated in memory. Keep the list short.
enum KnownRefusals {
  static let phrases = [
    "cannot be used in a fetch request", "Unsupported function expression",
    "the index must be a constant",
    "divides integers in some rows and decimals in others",
  ]

  static func reason(in message: String) -> String? {
    guard let phrase = phrases.first(where: { message.contains($0) }) else { return nil }
    // Reports the kind of a refused expression, not the names in it.
    if let name = message.components(separatedBy: "cannot compute ").dropFirst().last {
      return "\(phrase): \(name)"
    }
    let rest = message.components(separatedBy: phrase).dropFirst().joined().drop { !$0.isLetter }
    return "\(phrase): \(rest.prefix { $0.isLetter || $0 == ":" })"
  }
}
