import Testing

@testable import ManagedObjectGenerator

@Suite struct MethodOperationTests {
  @Test(arguments: [
    (["_"], "addToTags", MethodOperation.Kind.add),
    (["_"], "removeFromTags", .remove),
    (["_", "at"], "insertIntoTags", .insert),
    (["at"], "removeFromTags", .removeAtIndexes),
    (["at", "with"], "replaceTags", .replaceAtIndexes),
    (["_"], "addTagsObject", .add),
    (["_"], "removeTags", .remove),
    ([], "primitiveTags", .primitiveValue),
    (["_"], "setPrimitiveTags", .setPrimitiveValue),
    (["_", "inTagsAtIndex"], "insertObject", .insert),
  ])
  func `A method's Swift name determines its operation`(
    labels: [String], name: String, kind: MethodOperation.Kind
  ) {
    let operation = MethodOperation(name: name, labels: labels.map { $0 == "_" ? nil : $0 })
    #expect(operation?.kind == kind)
    #expect(operation?.key(among: []) == "tags")
  }

  @Test(arguments: [
    ("addTagsObject:", MethodOperation.Kind.add), ("removeTagsObject:", .remove),
    ("addTags:", .add), ("removeTags:", .remove),
    ("insertObject:inTagsAtIndex:", .insert), ("removeObjectFromTagsAtIndex:", .removeAtIndexes),
    ("insertTags:atIndexes:", .insert), ("removeTagsAtIndexes:", .removeAtIndexes),
    ("replaceObjectInTagsAtIndex:withObject:", .replaceAtIndexes),
    ("replaceTagsAtIndexes:withTags:", .replaceAtIndexes),
  ])
  func `A method's selector determines its operation`(selector: String, kind: MethodOperation.Kind)
  {
    let operation = MethodOperation(selector: selector)
    #expect(operation?.kind == kind)
    #expect(operation?.key(among: []) == "tags")
  }

  @Test func `A key with a capital first letter is found if the class has it`() {
    let operation = MethodOperation(name: "addToURLs", labels: [nil])
    #expect(operation?.key(among: ["URLs"]) == "URLs")
    #expect(operation?.key(among: []) == "uRLs")
    #expect(MethodOperation(name: "addTogether", labels: [nil])?.key(among: []) == "together")
    #expect(MethodOperation(name: "save", labels: []) == nil)
  }
}
