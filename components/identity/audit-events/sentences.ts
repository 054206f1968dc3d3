import type { AuditEvent } from '#lib/identity/audit-events/contract.ts'
import { actionText, subjectText } from './labels.ts'

/** Names of subjects, by id. */
export type Names = Readonly<Record<string, string>>

type Event = Pick<AuditEvent, 'action' | 'subject' | 'actor' | 'details'>

/** Sentences after the actor, for actions whose label is no sentence. */
const PHRASES: Record<string, (event: Event, names: Names) => string> = {
  'export.begun': exportPhrase,
  'session.ended': () => 'ended a session',
  'session.confirmed': () => 'confirmed who they are',
  'sign-in.failed': ({ details }) =>
    typeof details.account === 'string' ? `failed to sign in as ${details.account}` : 'failed to sign in',
  'sign-in.throttled': () => 'was blocked after too many attempts to sign in',
  'sign-on.refused': () => 'was refused by single sign-on',
  'factor.refused': () => 'entered a wrong verification code',
  'password.throttled': () => 'was blocked after too many attempts to change the password',
  'access.denied': () => 'was denied access',
  'access.throttled': () => 'exceeded a request limit',
  'webhook.paused': (event, names) => `paused webhook ${nameOf(event, names) ?? ''}`.trim(),
  'license-change.claimed': (event, names) => requestPhrase('requested', event, names),
  'license-change.sent': (event, names) => requestPhrase('requested', event, names),
  'license-change.unknown': (event, names) => requestPhrase('waits for', event, names),
  'license-change.rejected': (event, names) => requestPhrase('was refused', event, names),
  'license-change.failed': (event, names) => requestPhrase('did not get', event, names),
  'license-change.unclear': (event, names) => requestPhrase('may have', event, names),
  'license-change.applied': changePhrase,
  'license-change.drift': changePhrase,
  'license-change.recorded': changePhrase,
}

/** Returns the sentence of an event after its actor: `downloaded invoice IN-203652`. */
export function phraseOf(event: Event, names: Names): string {
  const phrase = PHRASES[event.action]
  if (phrase) return phrase(event, names)
  const text = actionText(event.action)
  const object = nameOf(event, names)
  const verb = text.charAt(0).toLowerCase() + text.slice(1)
  return object === undefined || object === event.actor.name ? verb : `${verb}: ${object}`
}

/** Returns the name of an event's subject; undefined where it has none. */
function nameOf(event: Event, names: Names): string | undefined {
  // An import of text that was piped in has no file.
  if (event.action.endsWith('.imported') && event.subject === 'stdin') return undefined
  return names[event.subject] ?? subjectText(event)
}

function assetName({ subject, details }: Event, names: Names): string {
  const id = typeof details.assetId === 'string' ? details.assetId : subject
  return names[id] ?? id
}

function changePhrase(event: Event, names: Names): string {
  const { from, to } = event.details
  return `changed ${assetName(event, names)} from ${countOf(from)} to ${licenses(to)}`
}

function requestPhrase(verb: string, event: Event, names: Names): string {
  return `${verb} ${licenses(event.details.to)} of ${assetName(event, names)}`
}

function countOf(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en') : '?'
}

function licenses(value: unknown): string {
  return `${countOf(value)} ${value === 1 ? 'license' : 'licenses'}`
}

/** Content of an export, by its call without the format. */
const EXPORTS: Record<string, string> = {
  exportInvoiceFiles: 'downloaded the PDFs of invoices',
  exportStatement: 'exported the statement',
  exportAccount: 'exported the account statement',
  exportPayments: 'exported payments',
  exportAssets: 'exported assets',
  exportRenewals: 'exported renewals',
  exportComparison: 'exported a comparison of invoices',
  exportExplanation: 'exported why a month costs more',
  exportAuditEvents: 'exported the audit log',
  exportLicenseChanges: 'exported license changes',
}

function exportPhrase({ subject, details }: Event): string {
  const call = String(details.call ?? '').replace(/(Xlsx|Pdf)$/, '')
  const invoice = /\/invoices\/([^/]+)\/(?:file|charges)/.exec(subject)?.[1]
  const number = invoice === undefined ? '' : decoded(invoice)
  if (call === 'readInvoiceFile') return `downloaded invoice ${number}`
  if (call === 'exportCharges') return `exported the charges of invoice ${number}`
  if (call === 'exportInvoices')
    return /\blines=true\b/.test(String(details.query))
      ? 'exported line items of invoices'
      : 'exported invoices'
  return EXPORTS[call] ?? 'exported a file'
}

/** The path as it was sent may be no valid URI. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
