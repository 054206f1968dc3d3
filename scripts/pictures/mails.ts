import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { mailSamples } from './mail-samples.ts'
import { sheet } from './sheets.ts'

const VARIANTS = [
  { name: 'light', width: 680, colorScheme: 'light' },
  { name: 'dark', width: 680, colorScheme: 'dark' },
  { name: 'phone', width: 360, colorScheme: 'light' },
] as const

const SENDER = {
  SMTP_URL: 'smtp://mail.example.com',
  MAIL_FROM: 'Alpine Cloud Reselling <billing@alpine.example>',
  MAIL_POSTAL_ADDRESS: 'Kai 1, 8001 Zurich, Switzerland',
  BASE_URL: 'https://console.example.com',
}

/** Takes pictures of a mail of each kind, as HTML in light and dark and as text, and a contact sheet of each variant. */
export async function captureMails(browser: Browser, folder: string): Promise<void> {
  const into = join(folder, 'mails')
  mkdirSync(into, { recursive: true })
  // The mails name their sender.
  Object.assign(process.env, SENDER)
  const mails = Object.entries(mailSamples())
  for (const { name, width, colorScheme } of VARIANTS) {
    const page = await browser.newPage({ viewport: { width, height: 400 }, colorScheme })
    const pictures = []
    for (const [kind, { html = '' }] of mails) {
      await page.setContent(html)
      const file = join(into, `${kind}-${name}.png`)
      await page.screenshot({ path: file, fullPage: true })
      pictures.push({ name: kind, file })
    }
    await sheet(browser, join(folder, `mails-${name}.png`), pictures, width < 500 ? 360 : 600)
    await page.close()
  }
  for (const [kind, { subject, text }] of mails)
    writeFileSync(join(into, `${kind}.txt`), `Subject: ${subject}\n\n${text}`)
}
