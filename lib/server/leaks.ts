import { revokeLeakedFeeds } from '#lib/costs/renewal-feeds/leaks.ts'
import { handleLeakedFeeds } from '#lib/identity/keys/leaks.ts'

/** Registers the handler that revokes the calendar links which a report of leaked keys names. */
export function registerLeaks(): void {
  handleLeakedFeeds(revokeLeakedFeeds)
}
