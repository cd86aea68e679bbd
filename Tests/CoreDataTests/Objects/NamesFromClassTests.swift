import CoreData
import Testing

private final class HiddenPlayer: NSManagedObject {}

private enum Kinds {
  final class Team: NSManagedObject {}
  final class Rounding<Value>: ValueTransformer {}
}

/// Sources: Apple's page "NSStringFromClass(_:)", and public sources that use it to set the class names of a model made
/// in code.
@Suite("A model made in code can get its class names from NSStringFromClass")
struct NamesFromClassTests {
  @Test("Private, nested and local classes are found")
  func hidden() throws {
    final class LocalTag: NSManagedObject {}
    let model = SampleStack.makeModel()
    let names = model.entitiesByName
    names["Player"]?.managedObjectClassName = NSStringFromClass(HiddenPlayer.self)
    names["Team"]?.managedObjectClassName = NSStringFromClass(Kinds.Team.self)
    names["Tag"]?.managedObjectClassName = NSStringFromClass(LocalTag.self)
    #expect(names["Player"]?.managedObjectClassName == "CoreDataTests.HiddenPlayer")
    #expect(NSStringFromClass(Author.self) == "CoreDataTests.Author")
    try SampleStack.withContext(model: model) { context in
      #expect(context.insert("Player") is HiddenPlayer)
      #expect(context.insert("Team") is Kinds.Team)
      #expect(context.insert("Tag") is LocalTag)
      #expect(HiddenPlayer.entity().name == "Player")
    }
  }

  @Test("Transformers are found too, including nested and generic ones")
  func transformers() {
    let name = NSStringFromClass(Kinds.Rounding<Int>.self)
    #expect(name == "CoreDataTests.Kinds.Rounding<Swift.Int>")
    let transformer = Kinds.Rounding<Int>()
    ValueTransformer.setValueTransformer(transformer, forName: NSValueTransformerName(name))
    #expect(ValueTransformer(forName: NSValueTransformerName(name)) === transformer)
  }

  @Test("Two classes with the same local name have different names")
  func sameName() {
    func first() -> NSManagedObject.Type {
      final class Twin: NSManagedObject {}
      return Twin.self
    }
    func second() -> NSManagedObject.Type {
      final class Twin: NSManagedObject {}
      return Twin.self
    }
    #expect(NSStringFromClass(first()) == "CoreDataTests.NamesFromClassTests.Twin")
    #expect(NSStringFromClass(second()) != "CoreDataTests.NamesFromClassTests.Twin")
    #expect(NSStringFromClass(first()) == "CoreDataTests.NamesFromClassTests.Twin")
  }
}
