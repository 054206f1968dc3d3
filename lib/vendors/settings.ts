import 'server-only'
import { resolve } from 'node:path'
import { z } from 'zod'
import { defineSettings, type Settings } from '#lib/platform/runtime/env.ts'
import { text } from '#lib/platform/runtime/settings.ts'
import type { VendorConfig, VendorDeclaration } from './declaration.ts'
import { vendorDeclarations } from './declarations.ts'

/** How long we wait for vendors, and how late they may be: assumptions, all in milliseconds. */
export type VendorTimes = {
  /** For the read before a change. */
  readMs: number
  writeMs: number
  /** For a read that settles a change whose outcome is not known. */
  confirmMs: number
  /** Between two such reads. */
  checkMs: number
  /** Between two reads of a subscription that somebody asks for, to know at once. */
  againMs: number
  /** How old the state may be that a read shows. */
  staleMs: number
  /** How long a vendor is left alone that failed several times in a row. */
  pauseMs: number
  /** After this, the process that claimed a change counts as dead. */
  leaseMs: number
}

/** Milliseconds, one at least. */
const wait = z.coerce.number().int().min(1)

/** The file that names accounts beside those of the environment; docs/vendors.md has its shape. */
export const accountsSettings = defineSettings(
  z
    .object({
      VENDOR_ACCOUNTS_FILE: text.optional(),
    })
    .transform(({ VENDOR_ACCOUNTS_FILE: path }) => ({ path: path && resolve(path) })),
)

/** The times that hold for all vendors; what one of them alone needs is declared in its own folder. */
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

const readers = new WeakMap<VendorDeclaration, Settings<VendorConfig | undefined>>()

function readerOf(vendor: VendorDeclaration): Settings<VendorConfig | undefined> {
  const reader = readers.get(vendor) ?? defineSettings(vendor.settings)
  readers.set(vendor, reader)
  return reader
}

/** The settings of each vendor's default account, by the vendor's name; undefined where it is not set up. */
export const vendorSettings: Settings<Partial<Record<string, VendorConfig>>> = Object.assign(
  () => Object.fromEntries(vendorDeclarations.map((vendor) => [vendor.name, readerOf(vendor)()])),
  { issues: () => vendorDeclarations.flatMap((vendor) => readerOf(vendor).issues()) },
)
