/// Places, streets and parts of team names for samples. Each list except `mascots` is ordered by frequency.
enum PlaceLists {
  /// A city with its state and a range of its postal codes.
  struct Place: Sendable {
    let city: String
    let state: String
    let zips: ClosedRange<Int>

    init(_ city: String, _ state: String, _ zips: ClosedRange<Int>) {
      self.city = city
      self.state = state
      self.zips = zips
    }
  }

  /// Cities of the United States, roughly by population.
  static let places: [Place] = [
    Place("New York", "NY", 10001...10040), Place("Los Angeles", "CA", 90001...90068),
    Place("Chicago", "IL", 60601...60661), Place("Houston", "TX", 77002...77099),
    Place("Phoenix", "AZ", 85003...85054), Place("Philadelphia", "PA", 19102...19154),
    Place("San Antonio", "TX", 78201...78261), Place("San Diego", "CA", 92101...92139),
    Place("Dallas", "TX", 75201...75254), Place("Austin", "TX", 78701...78759),
    Place("Jacksonville", "FL", 32202...32258), Place("San Jose", "CA", 95110...95148),
    Place("Fort Worth", "TX", 76102...76140), Place("Columbus", "OH", 43201...43235),
    Place("Charlotte", "NC", 28202...28278), Place("Indianapolis", "IN", 46201...46260),
    Place("San Francisco", "CA", 94102...94134), Place("Seattle", "WA", 98101...98136),
    Place("Denver", "CO", 80202...80239), Place("Oklahoma City", "OK", 73102...73170),
    Place("Nashville", "TN", 37201...37221), Place("Washington", "DC", 20001...20020),
    Place("El Paso", "TX", 79901...79938), Place("Boston", "MA", 2108...2136),
    Place("Portland", "OR", 97201...97239), Place("Las Vegas", "NV", 89101...89149),
    Place("Detroit", "MI", 48201...48238), Place("Memphis", "TN", 38103...38141),
    Place("Louisville", "KY", 40202...40229), Place("Baltimore", "MD", 21201...21231),
    Place("Milwaukee", "WI", 53202...53228), Place("Albuquerque", "NM", 87102...87123),
    Place("Tucson", "AZ", 85701...85757), Place("Fresno", "CA", 93701...93730),
    Place("Sacramento", "CA", 95811...95838), Place("Kansas City", "MO", 64105...64139),
    Place("Atlanta", "GA", 30303...30363), Place("Omaha", "NE", 68102...68144),
    Place("Colorado Springs", "CO", 80903...80927), Place("Raleigh", "NC", 27601...27617),
    Place("Miami", "FL", 33125...33196), Place("Virginia Beach", "VA", 23451...23464),
    Place("Minneapolis", "MN", 55401...55419), Place("Tulsa", "OK", 74103...74137),
    Place("Tampa", "FL", 33602...33647), Place("New Orleans", "LA", 70112...70131),
    Place("Cleveland", "OH", 44102...44144), Place("Honolulu", "HI", 96813...96826),
    Place("Pittsburgh", "PA", 15201...15243), Place("Cincinnati", "OH", 45202...45255),
    Place("St. Louis", "MO", 63101...63147), Place("Newark", "NJ", 7102...7114),
    Place("Anchorage", "AK", 99501...99518), Place("Boise", "ID", 83702...83716),
    Place("Salt Lake City", "UT", 84101...84119), Place("Providence", "RI", 2903...2912),
    Place("Hartford", "CT", 6103...6120), Place("Burlington", "VT", 5401...5408),
    Place("Lewiston", "ME", 4240...4243), Place("Fargo", "ND", 58102...58104),
    Place("Cheyenne", "WY", 82001...82009), Place("Cañon City", "CO", 81212...81215),
  ]

  /// Street names without their kind.
  static let streets = [
    "Main", "Oak", "Maple", "Park", "Cedar", "Pine", "Elm", "Washington", "Lake", "Hill", "Walnut",
    "Spring", "North", "Ridge", "Church", "Willow", "Mill", "Sunset", "Railroad", "Jackson", "West",
    "Cherry", "Highland", "Lincoln", "River", "Jefferson", "Franklin", "Meadow", "Forest", "Center",
    "Dogwood", "Hickory", "Green", "Martin Luther King Jr", "Sycamore", "Madison", "Chestnut",
    "Adams", "Birch", "Laurel", "College", "Magnolia", "Valley View", "Cottonwood", "Juniper",
  ]

  /// Kinds of streets, in postal abbreviations.
  static let streetKinds = ["St", "Ave", "Dr", "Rd", "Ln", "Ct", "Blvd", "Way", "Pl", "Ter"]

  /// The second parts of team names, after the city.
  static let mascots = NameLists.words(
    """
    Hawks Comets Rovers Pioneers Otters Foxes Mariners Rangers Falcons Wolves Herons Miners Badgers
    Rockets Owls Lynx Trailblazers Anchors Bison Cyclones Sparks Titans Ravens Coyotes Storm Voyagers
    Lanterns Stags Griffins Kestrels Mustangs Tides Larks Summits Blazers Cobras Flyers Millers
    Panthers Wildcats Thunder Cranes Archers Knights Dragons Colts Turbines Salmon
    """)
}
