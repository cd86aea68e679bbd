extension ModelProblem {
  /// The kinds of problems. The raw values are stable.
  public enum Kind: String, Sendable, CaseIterable {
    // Names.

    /// An entity, property or element has no name.
    case missingName
    /// Two entities, two properties of an entity, or two elements have the same name.
    case repeatedName
    /// A property has the same name as a property of an ancestor.
    case inheritedName
    /// A property has the name of a member of every managed object, such as `objectID`.
    case reservedName
    /// A name cannot be used in key paths, in the store or in the URIs of objects, such as one with a period.
    case impossibleName
    /// Two root entities would share a table because their names differ only in case, or a root entity would share one
    /// with Core Data itself.
    case tableClash
    /// A name differs from another one only in case.
    case similarName
    /// A name cannot be used in generated classes, is not written as Xcode requires, or is easily confused with a
    /// member of every managed object, such as `deleted` with `isDeleted`.
    case unusualName
    /// Two entities, or two properties of an entity, have the same renaming identifier.
    case repeatedRenamingIdentifier

    // Hierarchy and ownership.

    /// An entity is its own ancestor.
    case circularParents
    /// An entity has more than 999 ancestors.
    case tooManyAncestors
    /// A parent or subentity is not in the model.
    case relativeOutsideModel
    /// An entity, property or index has two owners.
    case sharedDescription

    // Relationships.

    /// A relationship has no destination.
    case missingDestination
    /// The destination of a relationship is not in the model.
    case destinationOutsideModel
    /// A relationship has no inverse.
    case missingInverse
    /// The inverse of a relationship belongs to the wrong entity, leads to the wrong entity, has no inverse, or has a
    /// different inverse.
    case wrongInverse
    /// A to-one relationship is ordered.
    case orderedToOne
    /// The minimum number of objects is greater than the maximum.
    case impossibleCount
    /// The minimum or maximum number of objects is negative, which means no limit.
    case negativeCount

    // Attributes.

    /// A stored attribute, or an element of a composite attribute, has no type, or a type that cannot be stored.
    case unstorableType
    /// A default value does not have the attribute's type, is outside its range, or contains an unknown element of a
    /// composite attribute.
    case wrongDefault
    /// A default value violates the attribute's own rules, or has a fraction that an integer does not store.
    case invalidDefault
    /// A setting has no effect on an attribute of its type.
    case uselessSetting
    /// The minimum value, date or length is greater than the maximum, one of them is not a number, or the maximum
    /// length is negative.
    case impossibleRange
    /// A pattern is not a valid regular expression.
    case invalidPattern
    /// The text of a predicate, or of the expression for Spotlight, is invalid.
    case unreadableText
    /// A derived attribute has no expression, or an expression that is invalid or that the store cannot compute.
    case invalidDerivation
    /// A composite attribute has no elements, contains itself, or has an element that allows external storage.
    case invalidComposite

    // References to properties and entities by name.

    /// A uniqueness constraint refers to an unknown property, to a property without a column, or to a derived attribute
    /// whose value is computed after the row is written or is the time of the save; or it has a member that is neither
    /// a property nor a name.
    case invalidConstraint
    /// A uniqueness constraint is empty.
    case emptyConstraint
    /// The same uniqueness constraint occurs twice.
    case repeatedConstraint
    /// An index has no elements, refers to an unknown property, contains an invalid expression, or has an element with
    /// neither a property nor an expression.
    case invalidIndex
    /// A store omits an index, or a part of it: it refers to a property without a column, such as a to-many
    /// relationship, or is an R-tree of an expression, of more than five attributes, or of one attribute twice.
    case uselessIndex
    /// Two indexes of an entity have the same name, or names that differ only in case.
    case repeatedIndex
    /// An index has no name.
    case unnamedIndex
    /// A fetched property has no fetch request, or one without an entity or for an unknown entity.
    case invalidFetchedProperty
    /// A fetch request of the model has no entity, or an unknown one.
    case invalidFetchRequest
    /// A fetch request sorts by, prefetches, fetches or groups by a property that its entity does not have.
    case unknownFetchKey
    /// A configuration has no name or refers to an unknown entity.
    case invalidConfiguration
  }
}

extension ModelProblem.Kind {
  /// The severity of such problems in a model that Apple's compiler wrote or that a store contains. Such a model is
  /// already in use, so only problems that make it unusable are errors.
  var severityInCompiledModels: ModelProblem.Severity {
    switch self {
    case .missingName, .repeatedName, .circularParents, .tooManyAncestors, .relativeOutsideModel,
      .sharedDescription, .missingDestination, .destinationOutsideModel:
      .error
    default: .warning
    }
  }

  /// Whether a store with such a model can be read, but not safely written: two entities would share a table, or two
  /// relationships would contradict each other.
  var forbidsWriting: Bool {
    switch self {
    case .tableClash, .wrongInverse: true
    default: false
    }
  }

  /// The severity of such problems in a model that was built in code or read from a source.
  public var severity: ModelProblem.Severity {
    switch self {
    case .similarName, .unusualName, .repeatedRenamingIdentifier, .missingInverse, .invalidDefault,
      .uselessSetting, .negativeCount, .uselessIndex, .repeatedIndex, .repeatedConstraint,
      .emptyConstraint,
      .unknownFetchKey:
      .warning
    case .missingName, .repeatedName, .inheritedName, .reservedName, .impossibleName, .tableClash,
      .circularParents, .tooManyAncestors, .relativeOutsideModel, .sharedDescription,
      .missingDestination, .destinationOutsideModel, .wrongInverse, .orderedToOne, .impossibleCount,
      .unstorableType,
      .wrongDefault, .impossibleRange, .invalidPattern, .unreadableText, .invalidDerivation,
      .invalidComposite, .invalidConstraint, .invalidIndex, .unnamedIndex, .invalidFetchedProperty,
      .invalidFetchRequest, .invalidConfiguration:
      .error
    }
  }
}
