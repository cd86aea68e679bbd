/// Names, the most common ones first: `frequentElement(of:)` prefers the first elements of a list.
enum NameLists {
  /// Given names that are common among people younger than 30.
  static let youngFirstNames = words(
    """
    Emma Liam Olivia Noah Sophia Mason Isabella Jacob Mia Ethan Ava Aiden Emily Michael Abigail
    Daniel Madison Jayden Chloe Alexander Ella Joshua Hannah Tyler Zoë Dylan Grace Logan Lily Caleb
    Natalie Owen Samantha Luke Sofía Mateo Aaliyah Gabriel Camila Diego Valentina Lucía José Layla
    Zain Priya Arjun Mei Hiro Anaïs Léo Chloé Jürgen Freya Björn Saoirse Rúben Inês Kwame Amina
    """)

  /// Given names that are common among people from 30 to 59.
  static let middleFirstNames = words(
    """
    Jennifer Michael Jessica Christopher Amy David Melissa James Michelle John Kimberly Robert Lisa
    Brian Angela William Heather Matthew Stephanie Jason Nicole Daniel Elizabeth Eric Rebecca Kevin
    Laura Jeffrey Christina Scott Amanda Thomas Rachel Steven Andrea Mark Sarah Richard Julie Andrew
    María Carlos Ana Luis Patricia Jorge Renée André Zoé François Fatima Omar Wei Yuki Anjali Rahul
    Katarzyna Piotr Søren Ingrid
    """)

  /// Given names that are common among people of 60 and older.
  static let oldFirstNames = words(
    """
    Mary James Linda Robert Barbara John Patricia William Carol Richard Sandra David Nancy Charles
    Sharon Thomas Judith Gary Susan Ronald Betty Kenneth Donna Larry Margaret Donald Ruth Dennis
    Dorothy Jerry Shirley Frank Joan Raymond Helen Walter Virginia Harold Gloria Arthur Rosa Manuel
    Teresa Ramón Inés Ángel Hélène Günter Elfriede Giovanni Rosalía Stanisław Olga Ivan Chiyo
    Kenji Lakshmi Mohan Astrid Åke
    """)

  /// Family names.
  static let lastNames =
    words(
      """
      Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez
      Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris
      Sanchez Clark Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill
      Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gomez Phillips
      Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers
      Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson
      Watson Brooks Chavez Wood Bennett Gray Mendoza Ruiz Hughes Price Alvarez Castillo Sanders
      Patel Myers Long Ross Foster Jimenez Núñez Peña Muñoz Ibáñez Müller Schröder Jäger Groß
      Lefèvre Garçon Dvořák Novák Kowalski Wójcik Łukasik Åström Østergaard Nilsson O'Brien O'Connor
      Fitzgerald McDonald Tanaka Watanabe Chen Wang Singh Khan Haddad Okafor Mensah Ivanov Popescu
      Szabó Çelik Yılmaz Silva Gonçalves
      """) + ["de la Cruz", "van den Berg", "Zimmermann", "Quigley", "Xu", "Underwood"]

  /// The words of a text, in their order.
  static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
