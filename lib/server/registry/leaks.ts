import { handleLeakedFeeds } from '#lib/keys/leaks.ts'
import { revokeShownFeeds } from '#lib/renewal-feeds/leaks.ts'

/** Has reports of leaked keys revoke links of calendars, too. */
export function registerLeaks(): void {
  handleLeakedFeeds(revokeShownFeeds)
}
