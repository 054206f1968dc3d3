import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { MailKind } from '#lib/platform/outbox/mail.ts'
import type { Channel } from '#lib/platform/outbox/worker.ts'
import type { Backfill } from './backfill.ts'
import type { Transaction } from './client.ts'

export type Job = {
  /** Permanent name of the queue. */
  name: string
  /** Five fields, in UTC. */
  cron: string
  /**
   * @param requestId id in the rows of changes and audit events
   * @param signal when to leave the rest to the next run
   * @returns how much there was to do
   */
  run(requestId: string, signal: AbortSignal): Promise<number>
}

/** Background work of a domain, which `lib/server` runs. */
export type BackgroundWork = {
  jobs?: readonly Job[]
  /**
   * Functions that remove a customer's rows after their retention, and return how many. docs/operate/reference.md lists the
   * retention times.
   */
  prune?: readonly ((tx: Transaction, customerId: CustomerId) => Promise<number>)[]
  /** Mails of the outbox. */
  mails?: readonly MailKind[]
  /** Other messages of the outbox. */
  channels?: readonly Channel[]
  /** Functions that remove rows without a customer. */
  pruneAnonymous?: readonly (() => Promise<number>)[]
  /** Backfills that a migration of this release asks for. A name stays until no database can have it open. */
  backfills?: readonly Backfill[]
}
