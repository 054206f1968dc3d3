import 'server-only'
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { PRODUCT } from '#lib/platform/runtime/version.ts'
import type { MailConfig } from './settings.ts'

export type Message = {
  subject: string
  text: string
  html?: string
  headers?: Record<string, string>
  attachments?: readonly Attachment[]
}

export type Attachment = { filename: string; contentType: string; content: Buffer }

/**
 * Outcome of a delivery. `refused`: permanent, for the address or this message only. `later`: temporary. `away`: the
 * mail server is unreachable or rejects the login, so that the next mail would fail, too. `unknown`: the connection
 * broke while the message was being sent.
 */
export type Delivery =
  | { kind: 'sent' }
  | { kind: 'refused'; reason: string; address: boolean }
  | { kind: 'later' | 'away' | 'unknown'; reason: string }

/** Timeouts in milliseconds: of inactivity, and in total. Far below the lease of a mail. */
const WAITS = {
  connectionTimeout: 10_000,
  dnsTimeout: 10_000,
  greetingTimeout: 15_000,
  socketTimeout: 30_000,
}
const WHOLE = 120_000

/** RFC 3834: suppresses automatic replies, such as absence notes. */
const NO_REPLIES = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

/**
 * Sends one mail to the mail server, once, and returns the outcome. Never throws.
 * @param id Message-ID: a repeat carries the same, so that mail programs can drop the duplicate
 */
export async function deliver(
  { from, ...server }: MailConfig,
  to: string,
  { subject, text, html, headers, attachments }: Message,
  id: string,
): Promise<Delivery> {
  const messageId = `<${id}@${from.address.split('@').at(-1)}>`
  const access = { disableFileAccess: true, disableUrlAccess: true }
  const addressed = { from, to: { name: '', address: to }, subject, messageId }
  const content = {
    text,
    html,
    headers: { ...headers, ...NO_REPLIES, 'User-Agent': PRODUCT },
    attachments: [...(attachments ?? [])],
  }
  const bytes = await new MailComposer({ ...addressed, ...content, ...access }).compile().build()
  let hasStarted = false
  const source = new Readable({
    // Read only after the server has accepted sender and recipient, and requested the message.
    read() {
      hasStarted = true
      this.push(bytes)
      this.push(null)
    },
  })
  return exchange(server, { from: from.address, to: [to], size: bytes.length }, source).then(
    (): Delivery => ({ kind: 'sent' }),
    (error: SmtpError) => failureOf(error, hasStarted, server.login?.password),
  )
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number }
type Server = Omit<MailConfig, 'from'>

async function exchange(
  { host, port, secure, login }: Server,
  envelope: object,
  source: Readable,
): Promise<void> {
  // A login is sent encrypted or not at all. Without a login, and on this machine, encryption is opportunistic.
  const isLocal = LOOPBACK.test(host)
  const trust = isLocal ? { tls: { rejectUnauthorized: false } } : {}
  const encrypted = login && !isLocal ? { requireTLS: true } : { opportunisticTLS: true }
  const smtp = new SMTPConnection({ host, port, secure, ...encrypted, ...trust, ...WAITS })
  let timer: NodeJS.Timeout | undefined
  const broken = new Promise<never>((_, reject) => {
    smtp.on('error', reject)
    timer = setTimeout(() => reject(new Error('It took too long.')), WHOLE)
  })
  const step = (run: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      broken,
      new Promise<void>((resolve, reject) => run((error) => (error ? reject(error) : resolve()))),
    ])
  broken.catch(() => {})
  try {
    await step((done) => smtp.connect(done))
    if (login) await step((done) => smtp.login({ user: login.user, pass: login.password }, done))
    await step((done) => smtp.send(envelope as never, source, done))
    smtp.quit()
  } finally {
    clearTimeout(timer)
    smtp.close()
  }
}

function failureOf(error: SmtpError, hasStarted: boolean, secret: string | undefined): Delivery {
  const reason = reasonOf(error, secret)
  const { command, responseCode: answer = 0 } = error
  const isAnswered = answer > 0 && (command === 'RCPT TO' || command === 'DATA')
  if (isAnswered && answer >= 500) return { kind: 'refused', reason, address: command === 'RCPT TO' }
  if (isAnswered) return { kind: 'later', reason }
  // The server's size limit (RFC 1870), which nodemailer checks before it sends, or the server itself.
  const isSize = command === 'MAIL FROM' && (answer === 552 || (answer === 0 && error.code === 'EMESSAGE'))
  if (isSize) return { kind: 'refused', reason, address: false }
  return { kind: hasStarted && answer === 0 ? 'unknown' : 'away', reason }
}

function reasonOf(error: SmtpError, secret: string | undefined): string {
  const text = error.message.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  return (secret ? text.replaceAll(secret, '…') : text).slice(0, 300)
}
