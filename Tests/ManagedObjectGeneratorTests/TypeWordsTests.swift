import Testing

@testable import ManagedObjectGenerator

@Suite struct TypeWordsTests {
  private func words(_ text: String) -> Set<String> {
    Array(text.utf8).withUnsafeBytes { TypeWords.words(in: $0) }
  }

  @Test func `The words after keywords that declare types are returned`() {
    #expect(
      words("struct A {}; enum B{}\nactor\tC {}; typealias `D` = Int; func e() {}; let structF = 1")
        == ["A", "B", "C", "D"])
    #expect(words("protocol A: class { struct B {} }") == ["A", "struct", "B"])
    #expect(words("class") == [])
  }

  @Test func `A comment between a keyword and a name is skipped`() {
    #expect(words("struct /* one /* two */ three */ A {}") == ["A"])
    #expect(words("class // one\n  // two\n  A {}") == ["A"])
  }

  @Test func `A string that looks like a comment hides no name`() {
    #expect(words("let a = \"class /*\"\nstruct B {}") == ["B"])
    #expect(words("let a = \"http://example.org\"; struct B {}") == ["B"])
  }
}
