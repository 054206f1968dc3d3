import 'server-only'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { perDatabase } from '#lib/platform/db/per-database.ts'

/**
 * What the answers to a change have in common: as the dictionary of DEFLATE it need not be written with each of them, so that
 * an asset of 530 bytes takes a hundred. Never changed, because what was packed with it could not be read any more: another one
 * is added behind it, and packs from then on. What is said most often stands at the end.
 */
const DICTIONARIES = [
  '{"type":"about:blank","title":"Unprocessable","status":422,"detail":"The vendor refused it.","instance":"","code":"vendor_rejected","error":"The vendor refused it.","errors":[{"pointer":"/quantity","detail":""}],"minimum":,"maximum":,"current":,"changedBy":"API key "}' +
    '"settings":{"purchaseOrder":"","costCenter":""}"vendor":{"name":"microsoft","ordersTotals":true}"CommitmentInterval":{"StartTime":17,"EndTime":18},"IsCommitmentPlan":true,"PlanName":"ANNUAL_MONTHLY_PAY"},"RenewalSettings":{"RenewalType":"AUTO_RENEW"},' +
    '{"id":"workspace-suite-","type":"workspace-suite","properties":{"customerDomain":".example","customerID":"C0","reseller":"sales@reseller.example","subscription":{"BillingMethod":"ONLINE","CreationTime":17,"PurchaseOrderID":"","ResourceUIURL":"","SkuID":"","SkuName":"","Status":"ACTIVE","ID":"","Plan":{"CommitmentInterval":null,"IsCommitmentPlan":false,"PlanName":"FLEXIBLE"},"RenewalSettings":null,"Seats":{"LicensedNumberOfSeats":0,"MaximumNumberOfSeats":0,"NumberOfSeats":0}}},"settings":null}',
].map((text) => Buffer.from(text))

/** Packs a text. The first byte says with which dictionary. */
export function packed(text: string): Buffer {
  const newest = DICTIONARIES.length - 1
  return Buffer.concat([Buffer.of(newest), deflateRawSync(text, { dictionary: DICTIONARIES[newest] })])
}

/**
 * The text, to the byte.
 * @throws Error where a later release packed it, with a dictionary that this one does not know
 */
export function unpacked(bytes: Uint8Array): string {
  const dictionary = DICTIONARIES[bytes[0] ?? -1]
  if (!dictionary) throw new Error(`An answer is packed with the dictionary ${bytes[0]}, which is unknown.`)
  return inflateRawSync(bytes.subarray(1), { dictionary }).toString()
}

/** Once they are packed they stay so. */
const memory = perDatabase(() => ({ arePacked: false }))

/**
 * Whether answers are kept packed by now: an hour after the migration that made room for it, processes of the release before,
 * which can't read them, are gone.
 */
export async function arePacked(tx: Transaction): Promise<boolean> {
  const found = memory()
  if (found.arePacked) return true
  const { rows } = await tx.execute<{ packed: boolean }>(sql`SELECT answers_are_packed() AS packed`)
  found.arePacked = rows[0]?.packed ?? false
  return found.arePacked
}
