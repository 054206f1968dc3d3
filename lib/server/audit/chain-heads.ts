import 'server-only'
import { database } from '#lib/platform/db/client.ts'
import { historySettings } from '#lib/platform/history/settings.ts'
import { appendChainHeads, type SignedChainHead, signChainHead } from '#lib/platform/history/signing.ts'
import { log } from '#lib/platform/runtime/log.ts'

const PORTION = 500

/**
 * Signs the heads of all audit chains that grew since the last publication, and publishes them: in the log, and in a
 * file where AUDIT_HEADS_DIR is set. Failed ones are published the next time.
 * @returns how many
 */
export async function publishChainHeads(_requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for await (const chainHeads of signedChainHeads({ isAll: false })) {
    signal.throwIfAborted()
    const { headsDir } = historySettings()
    if (headsDir !== undefined) await appendChainHeads(headsDir, chainHeads)
    for (const chainHead of chainHeads) log().info({ auditHead: chainHead }, 'head of the history')
    await markPublished(chainHeads)
    count += chainHeads.length
  }
  return count
}

type Row = { customer: string; seq: number; digest: string }

/** Returns the current chain heads, signed, in batches; all of them, or those that grew since the last publication. */
export async function* signedChainHeads({ isAll }: { isAll: boolean }): AsyncGenerator<SignedChainHead[]> {
  for (let after = ''; ; ) {
    const { rows } = await database().jobs.query<Row>(
      `SELECT customer_id AS customer, seq::float8 AS seq, encode(digest, 'hex') AS digest FROM audit_heads
       WHERE customer_id > $1 AND seq > CASE WHEN $2 THEN 0 ELSE told_seq END ORDER BY customer_id LIMIT ${PORTION}`,
      [after, isAll],
    )
    const time = new Date().toISOString()
    if (rows.length > 0) yield rows.map((row) => signChainHead({ ...row, time }))
    if (rows.length < PORTION) return
    after = rows.at(-1)?.customer ?? after
  }
}

/** Marks the published positions. A chain that has grown in the meantime is published again the next time. */
async function markPublished(chainHeads: readonly SignedChainHead[]): Promise<void> {
  await database().jobs.query(
    `UPDATE audit_heads h SET told_seq = t.seq
     FROM unnest($1::text[], $2::bigint[]) AS t (customer_id, seq)
     WHERE h.customer_id = t.customer_id AND h.told_seq < t.seq`,
    [chainHeads.map(({ customer }) => customer), chainHeads.map(({ seq }) => seq)],
  )
}
