import 'server-only'
import { resolve } from 'node:path'
import { z } from 'zod'

const text = z.string().trim().min(1)
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
/** Secrets travel there. */
const isPrivate = (url: string) =>
  !URL.canParse(url) || url.startsWith('https:') || LOOPBACK.includes(new URL(url).hostname)
const address = z.url({ protocol: /^https?$/ }).refine(isPrivate, 'must be https')
const hasNoPath = (url: string) => !URL.canParse(url) || new URL(url).pathname === '/'
const day = 24 * 60 * 60

/** Settings of the vendors that are reached over the network: a part of those that `env()` reads. */
export const VENDOR_SETTINGS = {
  MICROSOFT_TENANT_ID: text.regex(/^[\w.-]+$/, 'must be a tenant id or a domain').optional(),
  MICROSOFT_CLIENT_ID: text.optional(),
  MICROSOFT_CLIENT_SECRET: text.optional(),
  MICROSOFT_URL: address.default('https://api.partnercenter.microsoft.com'),
  MICROSOFT_TOKEN_URL: address.optional(),
  MICROSOFT_SETTLE_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(7 * day)
    .default(day),
  GOOGLE_KEY_FILE: text.optional(),
  GOOGLE_ADMIN: z.email().optional(),
  GOOGLE_URL: address.refine(hasNoPath, 'must have no path').default('https://reseller.googleapis.com'),
  GOOGLE_TOKEN_URL: address.default('https://oauth2.googleapis.com/token'),
  GOOGLE_SETTLE_SECONDS: z.coerce.number().int().min(1).max(day).default(120),
}

type Settings = z.output<z.ZodObject<typeof VENDOR_SETTINGS>>
export type MicrosoftConfig = NonNullable<ReturnType<typeof microsoftOf>>
export type GoogleConfig = NonNullable<ReturnType<typeof googleOf>>

/** @returns undefined where Microsoft is not set up @throws Error that names what is missing of it */
export function microsoftOf(settings: Settings) {
  const { MICROSOFT_TENANT_ID, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET } = settings
  const needed = { MICROSOFT_TENANT_ID, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET }
  const missing = Object.entries(needed).filter(([, value]) => value === undefined)
  if (missing.length === 3) return undefined
  if (!MICROSOFT_TENANT_ID || !MICROSOFT_CLIENT_ID || !MICROSOFT_CLIENT_SECRET) {
    const names = missing.map(([name]) => `${name}: is needed too`)
    throw new Error(`Wrong configuration. ${names.join('; ')}`)
  }
  return {
    /** Root of the Partner Center API, without a slash at the end. */
    url: settings.MICROSOFT_URL.replace(/\/+$/, ''),
    tokenUrl:
      settings.MICROSOFT_TOKEN_URL ??
      `https://login.microsoftonline.com/${MICROSOFT_TENANT_ID}/oauth2/v2.0/token`,
    clientId: MICROSOFT_CLIENT_ID,
    clientSecret: MICROSOFT_CLIENT_SECRET,
    /** How long a write may stay unseen by reads, in milliseconds. */
    settleMs: settings.MICROSOFT_SETTLE_SECONDS * 1000,
  }
}

/** @returns undefined where Google Workspace is not set up @throws Error that names what is missing of it */
export function googleOf(settings: Settings) {
  const { GOOGLE_KEY_FILE, GOOGLE_ADMIN } = settings
  if (GOOGLE_KEY_FILE === undefined && GOOGLE_ADMIN === undefined) return undefined
  if (!GOOGLE_KEY_FILE || !GOOGLE_ADMIN) {
    const missing = GOOGLE_KEY_FILE ? 'GOOGLE_ADMIN' : 'GOOGLE_KEY_FILE'
    throw new Error(`Wrong configuration. ${missing}: is needed too`)
  }
  return {
    /** The API's address, without a path. */
    url: settings.GOOGLE_URL.replace(/\/+$/, ''),
    tokenUrl: settings.GOOGLE_TOKEN_URL,
    keyFile: resolve(GOOGLE_KEY_FILE),
    admin: GOOGLE_ADMIN,
    /** How long a write may stay unseen by reads, in milliseconds. */
    settleMs: settings.GOOGLE_SETTLE_SECONDS * 1000,
  }
}
