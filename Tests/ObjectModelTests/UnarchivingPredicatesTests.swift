import FixtureSupport
import Foundation
import Predicates
import Testing

@testable import ObjectModel

/// Apple's Foundation archived the predicates in models that Xcode compiled. `NSKeyedUnarchiver` must read
/// these archives with the same result as the reader of models.
@Suite("Predicates archived by Apple's Foundation")
struct UnarchivingPredicatesTests {
  @Test(
    "NSKeyedUnarchiver and the reader of models read the same predicates",
    .enabled(if: Fixtures.areAvailable, "no fixtures"))
  func unarchiving() throws {
    let files = FileManager.default.enumerator(
      at: Fixtures.url("compiled"), includingPropertiesForKeys: nil)
    var texts: Set<String> = []
    var expressions = 0
    for case let url as URL in try #require(files)
    where ["mom", "omo", "cdm"].contains(url.pathExtension) {
      guard var archive = try? KeyedArchive(data: Data(contentsOf: url)) else { continue }
      for place in archive.objects.indices {
        guard case .instance(let names, _) = archive.objects[place] else { continue }
        archive.root = place
        if names.contains("NSPredicate") {
          let text = try ArchivedPredicate(archive: archive).text(.uid(place))
          let predicate = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: NSPredicate.self, from: archive.data())
          #expect(try predicate == NSPredicate(validating: text), "\(url.path): \(text)")
          texts.insert(text)
        } else if names.contains("NSExpression"), names[0] != "NSKeyPathSpecifierExpression",
          // Only mapping models contain fetch expressions, and they have their own reader.
          names[0] != "NSFetchRequestExpression",
          let text = try? ArchivedPredicate(archive: archive).expression(.uid(place)),
          text != "_NSPredicateUtilities"
        {
          let expression = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: Predicates.NSExpression.self, from: archive.data())
          #expect(
            try expression == Predicates.NSExpression(validating: text), "\(url.path): \(text)")
          expressions += 1
        }
      }
    }
    print("\(texts.count) predicates, \(expressions) expressions")
    #expect(texts.count >= 6)
    #expect(expressions >= 17)
  }
}
