import { expect, test } from 'vitest'
import { designedMail, type MailContent } from './layout.ts'

const RESELLER = {
  name: 'Alpine Cloud Reselling',
  email: 'billing@alpine.example',
  address: 'Kai 1, 8001 Zurich, Switzerland',
}
const CONTENT: MailContent = {
  subject: 'New sign-in to your account',
  company: 'Northwind & Sons',
  title: 'New sign-in to your account',
  blocks: [
    { text: 'Someone signed in <here>.' },
    { values: [['When', '2026-11-24 10:00 UTC'] as const, ['Device', 'Firefox on "Windows"'] as const] },
    { list: ['New invoices'] },
    { button: { label: 'Review your sessions', href: 'https://console.example/sessions?a=1&b=2' } },
    {
      heading: 'Past due: 1 invoice',
      items: [
        {
          ...{ name: 'IN-1', amount: '10.00 USD', details: ['was due on 14 Oct 2026, yesterday'] },
          ...{ href: 'https://console.example/invoices/IN-1', payHref: 'https://pay.example/IN-1' },
        },
      ],
      more: { label: 'and 2 more in the console', href: 'https://console.example/invoices' },
    },
  ],
  why: 'This address gets notices.',
  stops: [{ label: 'Stop all', href: 'https://console.example/unsubscribe?link=x' }],
}

test('The text of a mail has product and company, content, why it came, and the reseller', () => {
  expect(designedMail(CONTENT, {}, RESELLER).text).toBe(`Licenses & Invoices · Northwind & Sons

New sign-in to your account

Someone signed in <here>.

When:   2026-11-24 10:00 UTC
Device: Firefox on "Windows"

* New invoices

Review your sessions:
https://console.example/sessions?a=1&b=2

Past due: 1 invoice

* IN-1: 10.00 USD
  was due on 14 Oct 2026, yesterday
  https://console.example/invoices/IN-1
  Pay: https://pay.example/IN-1
  … and 2 more in the console:
  https://console.example/invoices

-- 
This address gets notices.

Stop all:
https://console.example/unsubscribe?link=x

Alpine Cloud Reselling · billing@alpine.example
Kai 1, 8001 Zurich, Switzerland
`)
})

test('The HTML of a mail has the same content, escaped, and the same links', () => {
  const { html, text } = designedMail(CONTENT, {}, RESELLER)
  const body = html.slice(html.indexOf('<body'))
  const terms = (part: string) =>
    part
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .split(' ')
  const read = body
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll(/&(lt|gt|quot);/g, ' ')
  const links = (part: string) => new Set(part.match(/https:\/\/[^\s"<]+/g))
  for (const term of terms(text.replace(/https:\S+/g, ''))) expect(terms(read)).toContain(term)
  expect(links(body.replaceAll('&amp;', '&'))).toEqual(links(text))
  expect(body).toContain('Someone signed in &lt;here&gt;.')
  expect(body).toContain('Northwind &amp; Sons')
})

test('The HTML loads nothing, is legible without styles of its head, and changes its colors in dark mode', () => {
  const { html } = designedMail(CONTENT, {}, RESELLER)
  expect(html).not.toMatch(/<(img|script|link|iframe|form|object)|\bsrc=|url\(|@import|\bon\w+=/i)
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
  const dark = /@media \(prefers-color-scheme:dark\)\{(.*)\}/.exec(html)?.[1] ?? ''
  const body = html.slice(html.indexOf('<body'))
  // Each class of the body that has a color has another one in dark mode.
  const classes = new Set(
    [...body.matchAll(/class="([^"]+)" [^>]*style="[^"]*(?:color|background|border)/g)].flatMap(
      ([, names = '']) => names.split(' '),
    ),
  )
  for (const name of classes) expect([name, dark.includes(`.${name}{`)]).toEqual([name, true])
  expect(classes.size).toBeGreaterThan(5)
  const styled = [...body.matchAll(/<(td|h1|h2|a|p)\b(?![^>]*style=)[^>]*>/g)].map(([tag]) => tag)
  expect(styled).toEqual([])
})

test('A mail without a company or a mail server names only the product', () => {
  const { text, html } = designedMail({ ...CONTENT, company: undefined }, {}, undefined)
  expect(text).toMatch(/^Licenses & Invoices\n\n/)
  expect(html).toContain('Licenses &amp; Invoices</b></td>')
  expect(text).not.toContain('Alpine')
})
