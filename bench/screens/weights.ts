import type { BrowserContext } from '@playwright/test'
import { HTML_KB, type Measurement, ROWS, SCREEN_KB, STATEMENT_KB, UNASKED } from '../budgets.ts'
import type { thingsOf } from './console.ts'
import { loadOf } from './load.ts'

/** Returns the weight of each screen of the console at a full load. */
export async function weights(
  context: BrowserContext,
  { assets, invoices }: Awaited<ReturnType<typeof thingsOf>>,
) {
  const ids = [...assets, ...invoices]
  const screens = [
    ['/', '/'],
    ['/assets', '/assets'],
    ['/assets, 250 rows', '/assets?maxResults=250'],
    ['an asset', `/assets/${assets[0]}`],
    ['/assets/bulk', '/assets/bulk'],
    ['/invoices', '/invoices'],
    ['/invoices, 250 rows', '/invoices?maxResults=250'],
    ['an invoice', `/invoices/${invoices[0]}`],
    ...[
      '/invoices/statement',
      '/invoices/explain',
      '/invoices/compare',
      '/invoices/profiles',
      '/activity',
      '/activity/events',
      '/notifications',
      '/members',
      '/sign-on',
      '/sign-on/directory',
      '/keys',
      '/sessions',
      '/second-factor',
      '/developers',
      '/developers/errors',
      '/developers/comparisons',
    ].map((path) => [path, path]),
  ] as [name: string, path: string][]
  const measurements: Measurement[] = []
  for (const [name, path] of screens) {
    // Parts of a page about one record may each contain its id.
    const { screenScripts, html, unasked, rows } = await loadOf(
      context,
      path,
      name === path || name.endsWith('rows') ? ids : [],
    )
    if (unasked.length > 0) console.error(`${name} asks by itself for ${unasked.join(', ')}.`)
    measurements.push(
      { name: `${name}: own JavaScript`, value: screenScripts / 1000, max: SCREEN_KB, unit: 'kB' },
      { name: `${name}: asked for by itself`, value: unasked.length, max: UNASKED, unit: '' },
      { name: `${name}: a row beside its HTML`, value: rows, max: ROWS, unit: '' },
      {
        name: `${name}: HTML`,
        value: html / 1000,
        max: path === '/invoices/statement' ? STATEMENT_KB : HTML_KB,
        unit: 'kB',
      },
    )
  }
  return measurements
}
