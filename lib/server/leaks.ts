import { revokeShownFeeds } from '#lib/costs/renewal-feeds/leaks.ts'
import { handleLeakedFeeds } from '#lib/identity/keys/leaks.ts'

/** Has reports of leaked keys revoke links of calendars, too. */
export function registerLeaks(): void {
  handleLeakedFeeds(revokeShownFeeds)
}
