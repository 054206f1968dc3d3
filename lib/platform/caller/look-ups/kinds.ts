import 'server-only'

/** A credential that is looked up before a customer is known. */
export type Kind = 'key' | 'session' | 'scim-token' | 'calendar-feed' | 'link'

/** The backfill of `look_ups`. Until it is finished, what is there may be missing there. */
export const LOOK_UPS = 'look-ups'

type Look = {
  /** Which login looks it up. */
  pool: 'keys' | 'sessions' | 'signIn'
  /** How the release before looked it up, for as long as not all of them are in `look_ups`. */
  before: string
}

/** Each gives the customer, the id by which the row is found there, and the digest, of the digests in `$1`. */
export const KINDS: Record<Kind, Look> = {
  key: { pool: 'keys', before: 'SELECT customer_id, id, digest FROM api_keys' },
  session: { pool: 'sessions', before: 'SELECT customer_id, digest AS id, digest FROM sessions' },
  'scim-token': { pool: 'keys', before: 'SELECT customer_id, id, digest FROM scim_tokens' },
  'calendar-feed': {
    pool: 'keys',
    before: 'SELECT customer_id, member_id AS id, digest FROM calendar_feeds',
  },
  link: { pool: 'signIn', before: 'SELECT customer_id, id, digest FROM account_links' },
}
