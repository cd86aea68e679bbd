import Foundation
import Predicates

/// A class for tests of Swift's `#Predicate`. Its key paths have names once `nameKeyPaths()` was called.
class ConvertedPerson: NSObject, NSKeyValueCoding, @unchecked Sendable {
  var name = "Ann"
  var nick: String?
  var age = 40
  var score = 1.5
  var isActive = true
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var id = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()
  var tags: [String] = ["a", "b"]
  var numbers: [Int] = [1, 2, 3]
  var grades: [String: Int] = ["x": 1]
  var boss: ConvertedPerson?
  var friends: [ConvertedPerson] = []
  var things = NSSet()
  var small: Int16 = 3
  var any: any Sendable { self }

  func value(forKey key: String) -> Any? {
    switch key {
    case "name": name
    case "nick": nick
    case "age": age
    case "score": score
    case "isActive": isActive
    case "date": date
    case "id": id
    case "tags": tags
    case "numbers": numbers
    case "grades": grades
    case "boss": boss
    case "friends": friends
    case "things": things
    case "small": small
    default: nil
    }
  }

  static func nameKeyPaths() {
    KeyPathNames.register(\ConvertedPerson.name, as: "name")
    KeyPathNames.register(\ConvertedPerson.nick, as: "nick")
    KeyPathNames.register(\ConvertedPerson.age, as: "age")
    KeyPathNames.register(\ConvertedPerson.score, as: "score")
    KeyPathNames.register(\ConvertedPerson.isActive, as: "isActive")
    KeyPathNames.register(\ConvertedPerson.date, as: "date")
    KeyPathNames.register(\ConvertedPerson.id, as: "id")
    KeyPathNames.register(\ConvertedPerson.tags, as: "tags")
    KeyPathNames.register(\ConvertedPerson.numbers, as: "numbers")
    KeyPathNames.register(\ConvertedPerson.grades, as: "grades")
    KeyPathNames.register(\ConvertedPerson.boss, as: "boss")
    KeyPathNames.register(\ConvertedPerson.friends, as: "friends")
    KeyPathNames.register(\ConvertedPerson.things, as: "things")
    KeyPathNames.register(\ConvertedPerson.small, as: "small")
  }
}

final class ConvertedManager: ConvertedPerson, @unchecked Sendable {}
