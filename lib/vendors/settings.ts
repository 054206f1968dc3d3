import 'server-only'
import { resolve } from 'node:path'
import { z } from 'zod'
import { defineSettings, type Settings } from '#lib/platform/runtime/env.ts'
import { text } from '#lib/platform/runtime/settings.ts'
import type { VendorConfig, VendorDeclaration } from './declaration.ts'
import { vendorDeclarations } from './declarations.ts'

/** Timeouts and delays of vendors: assumptions, all in milliseconds. */
export type VendorTimes = {
  /** Timeout of the read before a change. */
  readMs: number
  writeMs: number
  /** Timeout of a read that settles a change with an unknown outcome. */
  confirmMs: number
  /** Interval between two such reads. */
  checkMs: number
  /** Shortest interval between two on-demand reads of a subscription. */
  againMs: number
  /** Maximum age of the state that a read may show. */
  staleMs: number
  /** Time for which the circuit breaker stays open. */
  pauseMs: number
  /** Time after which the process that claimed a change counts as dead. */
  leaseMs: number
}

/** Milliseconds, at least one. */
const wait = z.coerce.number().int().min(1)

/** File with accounts in addition to those of the environment; docs/operate/vendors.md describes its format. */
export const accountsSettings = defineSettings(
  z
    .object({
      VENDOR_ACCOUNTS_FILE: text.optional(),
    })
    .transform(({ VENDOR_ACCOUNTS_FILE: path }) => ({ path: path && resolve(path) })),
)

/** Times of all vendors; settings of a single vendor are declared in its folder. */
export const vendorTimes = defineSettings(
  z
    .object({
      VENDOR_READ_MS: wait.default(4000),
      VENDOR_WRITE_MS: wait.default(8000),
      VENDOR_CONFIRM_MS: wait.default(3000),
      VENDOR_CHECK_MS: wait.default(5000),
      VENDOR_AGAIN_MS: wait.default(15_000),
      VENDOR_STALE_MS: wait.default(120_000),
      VENDOR_PAUSE_MS: wait.default(30_000),
      CHANGE_LEASE_MS: wait.default(30_000),
    })
    .transform(
      (values): VendorTimes => ({
        readMs: values.VENDOR_READ_MS,
        writeMs: values.VENDOR_WRITE_MS,
        confirmMs: values.VENDOR_CONFIRM_MS,
        checkMs: values.VENDOR_CHECK_MS,
        againMs: values.VENDOR_AGAIN_MS,
        staleMs: values.VENDOR_STALE_MS,
        pauseMs: values.VENDOR_PAUSE_MS,
        leaseMs: values.CHANGE_LEASE_MS,
      }),
    ),
)

/**
 * Returns the milliseconds from the record of a call until a read shows whether the vendor carried the write out. The call
 * leaves within the time of a write, and lasts no longer than that again; the vendor may carry it out within its settle
 * time; and a read may be older than its request.
 */
export function evidentAfterMs({ settleMs }: { settleMs: number }): number {
  const { writeMs, staleMs } = vendorTimes()
  return 2 * writeMs + settleMs + staleMs
}

/**
 * Surcharge of an Extended Service Term in percent, as its vendor publishes it (Microsoft: 3; 23 for products without a
 * monthly plan).
 */
export const extendedTermSettings = defineSettings(
  z
    .object({
      EXTENDED_TERM_SURCHARGE_PERCENT: z.coerce.number().min(0).max(100).default(3),
    })
    .transform(({ EXTENDED_TERM_SURCHARGE_PERCENT }) => ({
      surchargePercent: EXTENDED_TERM_SURCHARGE_PERCENT,
    })),
)

const readers = new WeakMap<VendorDeclaration, Settings<VendorConfig | undefined>>()

function readerOf(vendor: VendorDeclaration): Settings<VendorConfig | undefined> {
  const reader = readers.get(vendor) ?? defineSettings(vendor.settings)
  readers.set(vendor, reader)
  return reader
}

/** Settings of each vendor's default account, by the vendor's name; undefined if not configured. */
export const vendorSettings: Settings<Partial<Record<string, VendorConfig>>> = Object.assign(
  () => Object.fromEntries(vendorDeclarations.map((vendor) => [vendor.name, readerOf(vendor)()])),
  {
    issues: () => vendorDeclarations.flatMap((vendor) => readerOf(vendor).issues()),
    names: () => vendorDeclarations.flatMap((vendor) => readerOf(vendor).names()),
  },
)
