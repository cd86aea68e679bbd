import Testing

@testable import ManagedObjectGenerator

@Suite struct SourceMistakesTests {
  private func mistakes(_ text: String) -> [String] {
    do {
      let file = SourceFile(path: "/src/Person.swift", module: "Shop", text: text)
      _ = try SourceAccessors(module: "Shop", files: [file], dependencies: [])
      return []
    } catch let error as Mistakes {
      return error.list.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `A type that the sources do not tell is a mistake with its place`() {
    #expect(
      mistakes(
        """
        class Person: NSManagedObject {
          @NSManaged var color: UIColor?
          @NSManaged var names: Set<Elsewhere.Name>
        }
        """) == [
          "/src/Person.swift:2:25: error: 'UIColor' is declared neither in this target nor in those it"
            + " depends on, nor by Foundation; @NSManaged needs a type that can be told from the sources",
          "/src/Person.swift:3:29: error: 'Elsewhere' is declared neither in this target nor in those"
            + " it depends on, nor by Foundation; @NSManaged needs a type that can be told from the sources",
        ])
  }

  @Test func `A type that its file alone sees is a mistake`() {
    #expect(
      mistakes(
        """
        private enum State: Int16 { case a }
        class Person: NSManagedObject { @NSManaged private var state: State }
        """) == [
          "/src/Person.swift:2:63: error: 'State' has 'State' in it, which its file alone sees: make"
            + " that internal; @NSManaged needs a type that can be told from the sources"
        ])
  }

  @Test func `A class inside a function and a method of no known name are mistakes`() {
    #expect(
      mistakes(
        """
        func make() {
          class Person: NSManagedObject { @NSManaged var name: String? }
        }
        class Person: NSManagedObject { @NSManaged func run() }
        """) == [
          "/src/Person.swift:2:35: error: @NSManaged has no accessors in a class inside a function;"
            + " move the class out",
          "/src/Person.swift:4:49: error: 'run' is no method that Core Data implements; it implements"
            + " addTo…(_:), removeFrom…(_:), insertInto…(_:at:), removeFrom…(at:), replace…(at:with:),"
            + " primitive…() and setPrimitive…(_:)",
        ])
  }

  @Test func `What other systems' conditions hide is not read`() {
    #expect(
      mistakes(
        """
        class Person: NSManagedObject {
          #if canImport(UIKit)
          @NSManaged var color: UIColor?
          #elseif os(macOS) || canImport(AppKit)
          @NSManaged var color: NSColor?
          #else
          @NSManaged var color: String?
          #endif
        }
        """) == [])
  }

  @Test func `A condition that the compiler alone can tell is left to it`() throws {
    let file = SourceFile(
      path: "/src/Person.swift", module: "Shop",
      text: """
        import CoreData
        class Person: NSManagedObject {
          #if DEBUG
          @NSManaged var note: String?
          #elseif FAST
          @NSManaged var speed: Int64
          #endif
        }
        """)
    let accessors = try SourceAccessors(module: "Shop", files: [file], dependencies: [])
    #expect(accessors.accessors.map(\.conditions) == [["(DEBUG)"], ["!(DEBUG)", "(FAST)"]])
    #expect(accessors.text.contains("#if !(DEBUG) && (FAST)\n"))
  }
}
