import 'server-only'
import type { Message } from './mailer.ts'
import { type Reseller, resellerOf } from './settings.ts'

/** Name of the product, as the console has it. */
const PRODUCT = 'Licenses & Invoices'

/** Part of a mail, in the order of reading; each text is one line. */
export type MailBlock =
  | { text: string }
  /** Labels with their values. */
  | { values: readonly (readonly [label: string, value: string])[] }
  | { button: Link }
  | { list: readonly string[] }
  | { heading: string; items: readonly MailItem[]; more: Link | undefined }

/** Entry of a list: a link with an amount, and lines about it. */
type MailItem = {
  name: string
  amount: string
  details: readonly string[]
  href: string
  /** Label of the link, if it is not the name. */
  act?: string | undefined
  /** Address where it is paid. */
  payHref?: string | undefined
}

type Link = { label: string; href: string }

/** Content of a mail, before it is text or HTML. */
export type MailContent = {
  subject: string
  /** Company that the mail is about; undefined where it has none. */
  company: string | undefined
  title: string
  blocks: readonly MailBlock[]
  /** Why the address gets the mail, and where it can be turned off. */
  why: string
  stops?: readonly Link[]
}

/**
 * Returns a mail as text and as HTML, both in one layout: product and company, title, content, and below a line why it
 * came, and the reseller. The HTML has no remote content, is readable in dark mode, and needs no styles of the head to
 * be legible.
 */
export function designedMail(
  content: MailContent,
  headers: Record<string, string> = {},
  reseller: Reseller | undefined = resellerOf(),
): Required<Omit<Message, 'attachments'>> {
  const { subject } = content
  return { subject, text: textOf(content, reseller), html: htmlOf(content, reseller), headers }
}

function textOf({ company, title, blocks, why, stops = [] }: MailContent, reseller?: Reseller): string {
  const parts = [
    headerText(company),
    title,
    ...blocks.map(blockText),
    `-- \n${why}`,
    ...stops.map(({ label, href }) => `${label}:\n${href}`),
    ...(reseller ? [resellerLines(reseller).join('\n')] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function headerText(company: string | undefined): string {
  return company === undefined ? PRODUCT : `${PRODUCT} · ${company}`
}

function blockText(block: MailBlock): string {
  if ('text' in block) return block.text
  if ('list' in block) return block.list.map((entry) => `* ${entry}`).join('\n')
  if ('button' in block) return `${block.button.label}:\n${block.button.href}`
  if ('values' in block) {
    const width = Math.max(...block.values.map(([label]) => label.length)) + 2
    return block.values.map(([label, value]) => `${`${label}:`.padEnd(width)}${value}`).join('\n')
  }
  const { heading, items, more } = block
  return [
    ...[heading, ''],
    ...items.flatMap(({ name, amount, details, href, act, payHref }) => [
      `* ${name}: ${amount}`,
      ...details.map((detail) => `  ${detail}`),
      ...(act ? [`  ${act}:`] : []),
      `  ${href}`,
      ...(payHref ? [`  Pay: ${payHref}`] : []),
    ]),
    ...(more ? [`  … ${more.label}:`, `  ${more.href}`] : []),
  ].join('\n')
}

function resellerLines({ name, email, address }: Reseller): string[] {
  return [[name, email].filter(Boolean).join(' · '), ...(address ? [address] : [])]
}

// Mail programs render tables and inline styles; the classes add dark mode where a program supports the style sheet.
const LIGHT = { canvas: '#f7f6f2', surface: '#ffffff', ink: '#17191c', soft: '#5f646c', line: '#e4e2db' }
const DARK = { canvas: '#101214', surface: '#17191c', ink: '#eceded', soft: '#979da6', line: '#2a2e33' }
const ACCENT = { light: '#0d5c4a', dark: '#57c3a3', onLight: '#ffffff', onDark: '#08251d' }

const HEAD = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:600px){.card{padding:24px 20px!important}.outer{padding:16px 8px!important}}
@media (prefers-color-scheme:dark){.canvas{background:${DARK.canvas}!important}.card{background:${DARK.surface}!important;border-color:${DARK.line}!important}.ink{color:${DARK.ink}!important}.soft{color:${DARK.soft}!important}.rule{border-color:${DARK.line}!important}.link{color:${ACCENT.dark}!important}.button{background:${ACCENT.dark}!important;color:${ACCENT.onDark}!important}}`

const FONT =
  "font-family:Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:15px;line-height:1.5"

function htmlOf({ company, title, blocks, why, stops = [] }: MailContent, reseller?: Reseller): string {
  const footer = [
    soft(why),
    ...(stops.length > 0 ? [soft(stops.map(linkHtml).join(' · '), false)] : []),
    ...(reseller ? [soft(resellerLines(reseller).map(escaped).join('<br>'), false)] : []),
  ]
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escaped(title)}</title>
<style>${HEAD}</style></head>
<body class="canvas" style="margin:0;padding:0;background:${LIGHT.canvas}">
<table role="presentation" class="canvas" width="100%" cellpadding="0" cellspacing="0" style="background:${LIGHT.canvas}"><tr><td class="outer" align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;text-align:left">
<tr><td class="soft" style="${FONT};font-size:13px;color:${LIGHT.soft};padding:0 4px 12px"><b class="ink" style="color:${LIGHT.ink}">${PRODUCT.replace('&', '&amp;')}</b>${company === undefined ? '' : ` · ${escaped(company)}`}</td></tr>
<tr><td class="card ink" style="${FONT};color:${LIGHT.ink};background:${LIGHT.surface};border:1px solid ${LIGHT.line};border-radius:8px;padding:32px">
<h1 class="ink" style="margin:0 0 16px;font-size:20px;line-height:1.3;font-weight:600;color:${LIGHT.ink}">${escaped(title)}</h1>
${blocks.map(blockHtml).join('\n')}
</td></tr>
<tr><td style="${FONT};padding:16px 4px 0">
${footer.join('\n')}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

function blockHtml(block: MailBlock): string {
  if ('text' in block) return `<p style="margin:0 0 16px">${escaped(block.text)}</p>`
  if ('button' in block) return buttonHtml(block.button)
  if ('list' in block) {
    const entries = block.list.map((entry) => `<li style="margin:0 0 4px">${escaped(entry)}</li>`)
    return `<ul style="margin:0 0 16px;padding-left:20px">${entries.join('')}</ul>`
  }
  if ('values' in block) {
    const rows = block.values.map(
      ([label, value]) =>
        `<tr><td class="soft" style="${FONT};color:${LIGHT.soft};padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap">${escaped(label)}</td><td class="ink" style="${FONT};color:${LIGHT.ink};padding:2px 0">${escaped(value)}</td></tr>`,
    )
    return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px">${rows.join('')}</table>`
  }
  const { heading, items, more } = block
  const rest = more ? `<p style="margin:10px 0 16px">… ${linkHtml(more)}</p>` : ''
  return `<h2 class="ink" style="margin:20px 0 4px;font-size:16px;line-height:1.4;font-weight:600;color:${LIGHT.ink}">${escaped(heading)}</h2>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 12px">
${items.map(itemHtml).join('\n')}
</table>
${rest}`
}

function itemHtml({ name, amount, details, href, act, payHref }: MailItem): string {
  const lines = [
    ...details.map(escaped),
    ...(act ? [linkHtml({ label: act, href })] : []),
    ...(payHref ? [linkHtml({ label: `Pay ${name}`, href: payHref })] : []),
  ]
  return `<tr><td class="rule" style="${FONT};border-top:1px solid ${LIGHT.line};padding:10px 0">${linkHtml({ label: name, href })}: <b class="ink" style="color:${LIGHT.ink}">${escaped(amount)}</b><br><span class="soft" style="font-size:13px;color:${LIGHT.soft}">${lines.join('<br>')}</span></td></tr>`
}

function buttonHtml({ label, href }: Link): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:4px 0 20px"><tr><td class="button" style="background:${ACCENT.light};border-radius:7px"><a class="button" href="${escaped(href)}" style="${FONT};display:inline-block;padding:10px 18px;font-weight:600;color:${ACCENT.onLight};text-decoration:none;border-radius:7px">${escaped(label)}</a></td></tr></table>`
}

function linkHtml({ label, href }: Link): string {
  return `<a class="link" href="${escaped(href)}" style="color:${ACCENT.light}">${escaped(label)}</a>`
}

/** Small text of the footer. */
function soft(text: string, isText = true): string {
  return `<p class="soft" style="margin:0 0 8px;font-size:12px;color:${LIGHT.soft}">${isText ? escaped(text) : text}</p>`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}
