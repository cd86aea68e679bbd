import CoreData
import Foundation

/// Players by the names of their teams.
final class TeamList: FetchedList<Player> {
  init(_ stack: CoreDataStack, _ tableView: TerminalTable) {
    let request: NSFetchRequest<Player> = Player.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(key: "team.name", ascending: true),
      NSSortDescriptor(key: "name", ascending: true),
    ]
    super.init(stack, tableView, request, sectionNameKeyPath: "team.name")
  }

  override var title: String { "Players by team" }
  override var usage: String { "add NAME AGE TEAM" }
  override var searchedKeyPaths: [String] { ["name", "team.name"] }
  override func text(of player: Player) -> String { "\(player.name ?? ""), \(player.age)" }

  override func header(of section: any NSFetchedResultsSectionInfo) -> String? {
    let team = (section.objects?.first as? Player)?.team
    return "\(section.name) (\(team?.players?.count ?? 0))"
  }

  override func insert(_ words: [String]) throws {
    guard words.count == 3, let age = Int16(words[1]) else { throw Refusal(description: usage) }
    let team = try Team.named(words[2], in: context)
    let player = Player(context: context)
    player.name = words[0]
    player.age = age
    team.addToPlayers(player)
  }
}
