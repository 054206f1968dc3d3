import 'server-only'
import { sql } from 'drizzle-orm'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { auditChain } from '#lib/platform/db/schema/history.ts'
import { contentDigest, GENESIS, linkDigest } from './chain.ts'
import { listUnchained } from './chain-rows.ts'

/**
 * Gives what an older release wrote its place in the chain, after what is there already. Asked for again, it takes in
 * what processes of that release wrote since.
 */
export const auditChaining: Backfill = {
  name: 'audit-chain',
  async batch(tx, customerId, asked) {
    await tx.execute(sql`
      INSERT INTO audit_heads (customer_id, seq, event_id, at, digest)
      VALUES (${customerId}, 0, 0, statement_timestamp(), ${GENESIS}) ON CONFLICT DO NOTHING`)
    // Locked before it is asked what has no link: two such batches at once would give it two.
    const { rows } = await tx.execute<{ seq: string; digest: Buffer }>(sql`
      SELECT seq, digest FROM audit_heads WHERE customer_id = ${customerId} FOR UPDATE`)
    const head = { seq: Number(rows[0]?.seq), digest: rows[0]?.digest ?? GENESIS }
    const { events, next } = await listUnchained(tx, customerId, asked)
    const links = events.map((event) => {
      head.seq += 1
      head.digest = linkDigest(head.digest, contentDigest(event), { ...event, seq: head.seq })
      return { customerId, ...head, eventId: BigInt(event.eventId) }
    })
    if (links.length > 0) {
      await tx.insert(auditChain).values(links)
      await tx.execute(sql`
        UPDATE audit_heads SET seq = ${head.seq}, digest = ${head.digest}, at = statement_timestamp()
        WHERE customer_id = ${customerId}`)
    }
    return { count: links.length, last: next }
  },
}
