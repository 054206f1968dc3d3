import 'server-only'
import { z } from 'zod'
import { defineSettings } from '#lib/platform/runtime/env.ts'
import { text, together } from '#lib/platform/runtime/settings.ts'

const SCHEMES: Record<string, { port: number; secure: boolean }> = {
  'smtp:': { port: 587, secure: false },
  'smtps:': { port: 465, secure: true },
}

/** Mail server for notices, and their sender. */
export type MailConfig = {
  host: string
  port: number
  /** Whether TLS starts with the first byte; otherwise by STARTTLS if the server supports it. */
  secure: boolean
  /** Credentials, which require TLS except on this machine. */
  login: { user: string; password: string } | undefined
  from: { name: string; address: string }
}

/** Undefined if notices are off. */
export const mailSettings = defineSettings(
  z
    .object({
      SMTP_URL: z
        .string()
        .refine(
          (text) => serverOf(text) !== undefined,
          'must be as in smtp://user:password@mail.example.com:587',
        )
        .optional(),
      MAIL_FROM: z
        .string()
        .refine((text) => senderOf(text) !== undefined, 'must be as in Billing <billing@example.com>')
        .optional(),
      /** Base URL of links in mails; validated with the console's own settings. */
      BASE_URL: z.string().optional(),
    })
    .transform(({ SMTP_URL, MAIL_FROM, BASE_URL }, context): MailConfig | undefined => {
      if (SMTP_URL === undefined && MAIL_FROM === undefined) return undefined
      const values = together({ SMTP_URL, MAIL_FROM, BASE_URL }, context)
      const server = values && serverOf(values.SMTP_URL)
      const from = values && senderOf(values.MAIL_FROM)
      return server && from ? { ...server, from } : undefined
    }),
)

/** Reseller in whose name mails are sent. */
export type Reseller = { name: string; email: string; address?: string | undefined }

/** Postal address of the sender, if one is set. */
export const resellerSettings = defineSettings(
  z.object({
    MAIL_POSTAL_ADDRESS: text.max(300).optional(),
  }),
)

/** Returns the sender of mails and its postal address, for their footer; undefined if mails are off. */
export function resellerOf(): Reseller | undefined {
  const from = mailSettings()?.from
  return from && { name: from.name, email: from.address, address: resellerSettings().MAIL_POSTAL_ADDRESS }
}

/** Returns the server and login of a URL; undefined for any other text, such as a URL with a path or options. */
function serverOf(text: string): Omit<MailConfig, 'from'> | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
  const scheme = SCHEMES[protocol]
  const isBare = pathname.replace('/', '') === '' && search === '' && hash === ''
  if (!scheme || !hostname || !isBare || Boolean(username) !== Boolean(password)) return undefined
  try {
    const login = username
      ? { user: decodeURIComponent(username), password: decodeURIComponent(password) }
      : undefined
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    return { host, port: Number(port || scheme.port), secure: scheme.secure, login }
  } catch {
    return undefined
  }
}

function senderOf(text: string): MailConfig['from'] | undefined {
  const [, name = '', bracketed, bare] = /^\s*(?:([^<>\p{C}]*)<([^<>]*)>|(\S+))\s*$/u.exec(text) ?? []
  const address = (bracketed ?? bare ?? '').trim()
  if (!z.email().max(254).safeParse(address).success) return undefined
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
}
