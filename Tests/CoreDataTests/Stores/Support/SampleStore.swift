import CoreData

/// A small model made in code, with each kind of property and relationship that stores support.
enum SampleStore {
  static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    return attribute
  }

  static func relationship(
    _ name: String, to destination: NSEntityDescription, max: Int, ordered: Bool = false,
    rule: NSDeleteRule = .nullifyDeleteRule
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = max
    relationship.isOptional = true
    relationship.isOrdered = ordered
    relationship.deleteRule = rule
    return relationship
  }

  static func connect(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
    one.inverseRelationship = other
    other.inverseRelationship = one
  }

  /// Team (players: cascade, ordered fans, sponsors: deny), Player (team, friends: own inverse,
  /// clubs: many-to-many), Captain: Player, Fan, Sponsor, Club.
  static func model() -> NSManagedObjectModel {
    let names = ["Team", "Player", "Captain", "Fan", "Sponsor", "Club"]
    var entities: [String: NSEntityDescription] = [:]
    for name in names {
      let entity = NSEntityDescription()
      entity.name = name
      entities[name] = entity
      if name != "Captain" { entity.properties = [attribute("name", .stringAttributeType)] }
    }
    func add(_ properties: [NSPropertyDescription], _ name: String) {
      entities[name]?.properties += properties
    }
    guard let team = entities["Team"], let player = entities["Player"],
      let captain = entities["Captain"], let fan = entities["Fan"],
      let sponsor = entities["Sponsor"], let club = entities["Club"]
    else { return NSManagedObjectModel() }
    let members = relationship("players", to: player, max: 0, rule: .cascadeDeleteRule)
    let memberTeam = relationship("team", to: team, max: 1)
    connect(members, memberTeam)
    let fans = relationship("fans", to: fan, max: 0, ordered: true)
    let fanTeam = relationship("team", to: team, max: 1)
    connect(fans, fanTeam)
    let sponsors = relationship("sponsors", to: sponsor, max: 0, rule: .denyDeleteRule)
    let sponsored = relationship("team", to: team, max: 1)
    connect(sponsors, sponsored)
    let friends = relationship("friends", to: player, max: 0)
    friends.inverseRelationship = friends
    let clubs = relationship("clubs", to: club, max: 0, ordered: true)
    let clubPlayers = relationship("players", to: player, max: 0)
    connect(clubs, clubPlayers)
    add([members, fans, sponsors], "Team")
    add(
      [
        memberTeam, friends, clubs, attribute("age", .integer16AttributeType),
        attribute("isActive", .booleanAttributeType), attribute("height", .doubleAttributeType),
        attribute("weight", .floatAttributeType), attribute("born", .dateAttributeType),
        attribute("fee", .decimalAttributeType), attribute("photo", .binaryDataAttributeType),
        attribute("badge", .UUIDAttributeType), attribute("page", .URIAttributeType),
        attribute("number", .integer64AttributeType),
      ], "Player")
    let portrait = attribute("portrait", .binaryDataAttributeType)
    portrait.allowsExternalBinaryDataStorage = true
    add([portrait], "Player")
    captain.properties = [attribute("since", .dateAttributeType)]
    player.subentities = [captain]
    add([fanTeam], "Fan")
    add([sponsored], "Sponsor")
    add([clubPlayers], "Club")
    let model = NSManagedObjectModel()
    model.entities = names.compactMap { entities[$0] }
    return model
  }
}
