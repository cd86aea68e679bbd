import SourceReading
import SwiftSyntax

extension SourcePorter {
  /// The initializers that the library requires, by their labels.
  private static let required: Set<[String]> = [
    ["entity", "insertInto"], ["managedObjectModel"],
    ["persistentStoreCoordinator", "configurationName", "at", "options"],
  ]

  /// Marks an initializer `required`, with the access level of its class. The library calls it on classes that are
  /// known only at run time, which Swift without Objective-C allows only for `required` initializers.
  func requireInitializer(_ node: InitializerDeclSyntax, isMoved: Bool) {
    guard overridesRequired(node) else { return }
    guard let container = node.memberGroup?.as(ClassDeclSyntax.self) else {
      if isMoved {
        noteChange(at: node.positionAfterSkippingLeadingTrivia, MovedMembers.remark)
      } else {
        report(
          node.initKeyword,
          Advice.requiredInExtension(of: node.enclosingType, among: classes))
      }
      return
    }
    let names = node.modifiers.map(\.name.text)
    let replaced = [
      "override", "required", "private", "fileprivate", "internal", "package", "public",
    ]
    let text =
      (["required"] + names.filter { $0 == "override" } + container.access
      + names.filter { !replaced.contains($0) }).joined(separator: " ")
    let start = node.modifiers.first?.positionAfterSkippingLeadingTrivia
    if let start, let last = node.modifiers.last {
      edits.replace(start..<last.endPositionBeforeTrailingTrivia, with: text)
    } else {
      edits.insert("\(text) ", before: node.initKeyword.positionAfterSkippingLeadingTrivia)
    }
    noteChange(
      at: start ?? node.initKeyword.positionAfterSkippingLeadingTrivia,
      "the initializer is required on other platforms")
  }

  /// Returns whether an initializer overrides one that the library requires, but is not marked `required`.
  private func overridesRequired(_ node: InitializerDeclSyntax) -> Bool {
    let names = node.modifiers.map(\.name.text)
    if names.contains("required") { return false }
    if node.isOfContext { return node.enclosingType.map(classes.isManagedObject) == true }
    guard names.contains("override") else { return false }
    if Self.required.contains(node.labels) { return true }
    return node.labels.isEmpty && node.enclosingType.map(isMadeByName) == true
  }

  /// Returns whether the library creates objects of a class by the class's name.
  private func isMadeByName(_ name: String) -> Bool {
    classes.isValueTransformer(name) || classes.isMigrationPolicy(name)
  }

  /// Adds the initializers that the library requires to a class that does not inherit them, because it declares others.
  ///
  /// Classes with an unknown macro are skipped, because the macro may generate them.
  func addRequiredInitializers(to node: ClassDeclSyntax) {
    if node.hasUnknownMacro { return }
    if isMadeByName(node.name.text) {
      addPlainInitializer(to: node)
    } else if classes.isManagedObject(node.name.text) {
      addInitializersOfEntity(to: node)
    }
  }

  /// Adds `init()` to a class whose objects are created by the class's name. On Apple's platforms, creating an object
  /// of a class without it ends the program.
  private func addPlainInitializer(to node: ClassDeclSyntax) {
    let own = node.designatedInitializers
    guard !own.isEmpty, own.allSatisfy({ !$0.labels.isEmpty }) else { return }
    add(
      "\(node.requiring("override"))init() { fatalError(\"init() has not been implemented\") }",
      to: node)
    noteAdded(
      to: node, "the library finds \(node.name.text) by its name and creates it with init()")
  }

  /// Adds the initializers that contexts call to a class of managed objects. On Apple's platforms a class without them
  /// compiles, and fetching an object ends the program.
  private func addInitializersOfEntity(to node: ClassDeclSyntax) {
    let own = Set(node.designatedInitializers.map(\.labels))
    guard !own.isEmpty else { return }
    if !own.contains(["entity", "insertInto"]) {
      let body =
        // An initializer of the superclass can only be called after all properties are set.
        node.hasUnsetProperties
        ? "fatalError(\"init(entity:insertInto:) has not been implemented\")"
        : "super.init(entity: entity, insertInto: context)"
      add(
        "\(node.requiring("override"))init(entity: NSEntityDescription,"
          + " insertInto context: NSManagedObjectContext?) { \(body) }", to: node)
      noteAdded(to: node, "contexts create \(node.name.text) with init(entity:insertInto:)")
    }
    // A class that has all designated initializers of its superclass inherits the convenience initializers.
    let base = node.inheritanceClause?.inheritedTypes.first?.type.lastName ?? "NSManagedObject"
    let inherits = classes.designatedInitializers(of: base)
      .isSubset(of: own.union([["entity", "insertInto"]]))
    if !inherits, !node.initializers.contains(where: { $0.labels == ["context"] }) {
      add(
        "\(node.requiring())convenience init(context: NSManagedObjectContext) {"
          + " self.init(entity: Self.entity(), insertInto: context) }", to: node)
      noteAdded(to: node, "\(node.name.text) does not inherit init(context:), which is required")
    }
  }

  private func noteAdded(to node: ClassDeclSyntax, _ text: String) {
    noteChange(at: node.memberBlock.rightBrace.positionAfterSkippingLeadingTrivia, text)
  }

  /// Adds a member at the end of a class.
  private func add(_ member: String, to node: ClassDeclSyntax) {
    let end = node.memberBlock.rightBrace
    let indent = layout.lineIndent(of: end)
    if let first = node.memberBlock.members.first, layout.isBegun(before: end) {
      edits.beginLine(with: first, in: layout)
    }
    let memberIndent = layout.memberIndent(of: node).dropFirst(indent.count)
    edits.insert(
      "\(memberIndent)\(member)\n\(indent)", before: end.positionAfterSkippingLeadingTrivia)
  }
}

extension ClassDeclSyntax {
  /// Whether an unknown macro is attached: an attribute that begins with a capital and is not a global actor.
  fileprivate var hasUnknownMacro: Bool {
    attributes.contains { element in
      guard let name = element.as(AttributeSyntax.self)?.attributeName.trimmedDescription,
        let first = name.split(separator: ".").last?.first
      else { return false }
      return first.isUppercase && !name.hasSuffix("Actor") && name != "Observable"
    }
  }

  /// The access modifiers that make an initializer as visible as the class; empty if it needs none.
  fileprivate var access: [String] {
    let names = modifiers.map(\.name.text)
    if names.contains("package") { return ["package"] }
    return names.contains("public") || names.contains("open") ? ["public"] : []
  }

  /// Returns the modifiers of a required initializer.
  fileprivate func requiring(_ words: String...) -> String {
    (["required"] + words + access).map { "\($0) " }.joined()
  }

  /// The initializers, including those inside `#if`.
  fileprivate var initializers: [InitializerDeclSyntax] {
    memberBlock.members.everywhere.compactMap { $0.as(InitializerDeclSyntax.self) }
  }

  fileprivate var designatedInitializers: [InitializerDeclSyntax] {
    initializers.filter { !$0.modifiers.contains { $0.name.text == "convenience" } }
  }

  /// Whether it has properties that each of its initializers has to set.
  fileprivate var hasUnsetProperties: Bool {
    memberBlock.members.everywhere.compactMap { $0.as(VariableDeclSyntax.self) }.contains { node in
      let modifiers = node.modifiers.map(\.name.text)
      if modifiers.contains(where: { ["static", "class", "lazy"].contains($0) })
        || node.attributes.has("NSManaged")
      {
        return false
      }
      let isConstant = node.bindingSpecifier.tokenKind == .keyword(.let)
      return node.bindings.contains { binding in
        guard binding.initializer == nil, binding.accessorBlock?.isComputed != true else {
          return false
        }
        guard let type = binding.typeAnnotation?.type, !isConstant else { return true }
        return !type.is(OptionalTypeSyntax.self)
          && !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      }
    }
  }
}

extension MemberBlockItemListSyntax {
  /// The members, including those inside `#if`.
  fileprivate var everywhere: [DeclSyntax] {
    flatMap { item -> [DeclSyntax] in
      guard let conditions = item.decl.as(IfConfigDeclSyntax.self) else { return [item.decl] }
      return conditions.clauses.flatMap { clause -> [DeclSyntax] in
        if case .decls(let members) = clause.elements { members.everywhere } else { [] }
      }
    }
  }
}

extension AccessorBlockSyntax {
  /// Whether it is computed, as opposed to stored with observers.
  var isComputed: Bool {
    switch accessors {
    case .getter: true
    case .accessors(let accessors):
      accessors.contains {
        !["willSet", "didSet"].contains($0.accessorSpecifier.text)
      }
    }
  }
}

extension InitializerDeclSyntax {
  /// Whether it is `init(context: NSManagedObjectContext)`.
  var isOfContext: Bool {
    labels == ["context"]
      && signature.parameterClause.parameters.first?.type.lastName == "NSManagedObjectContext"
  }
}
