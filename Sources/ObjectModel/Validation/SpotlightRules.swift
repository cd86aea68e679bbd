/// Requires that the expression whose value Spotlight displays for an object can be parsed.
enum SpotlightRules: EntityRule {
  static func inspect(_ entity: NSEntityDescription, _ inspection: inout ModelInspection) {
    if let defect = ModelInspection.defect(inExpression: entity.spotlightDisplayText) {
      inspection.report(.unreadableText, entity, "\(defect) (Spotlight display name)")
    }
  }
}
