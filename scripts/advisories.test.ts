import { expect, test } from 'vitest'
import { adviceOf } from './advisories-report.ts'

const flaw = (name: string, severity: string) => ({
  name,
  severity,
  // An entry that is only affected by another one names it.
  via: [
    'other',
    { title: 'Prototype pollution', url: 'https://github.com/advisories/GHSA-1', severity, range: '<2' },
  ],
  effects: name === 'jose' ? ['next-auth'] : [],
})

test('known flaws are listed by severity, with the days until they have to be mended', () => {
  const vulnerabilities = { uuid: flaw('uuid', 'low'), jose: flaw('jose', 'critical') }
  expect(adviceOf(JSON.stringify({ vulnerabilities }))).toEqual({
    lines: [
      'critical, within 3 days: jose <2, used by next-auth: Prototype pollution (https://github.com/advisories/GHSA-1)',
      'low, within 90 days: uuid <2: Prototype pollution (https://github.com/advisories/GHSA-1)',
    ],
    code: 1,
  })
})

test('no flaw and no answer are different', () => {
  expect(adviceOf('{"vulnerabilities":{}}')).toEqual({ lines: ['No flaw is known.'], code: 0 })
  expect(adviceOf('{"message":"405 Method Not Allowed","error":{"summary":""}}')).toEqual({
    lines: ['The registry does not answer the audit: 405 Method Not Allowed.'],
    code: 2,
  })
  expect(adviceOf('')).toMatchObject({ code: 2 })
})
