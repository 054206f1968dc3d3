import { afterEach, expect, test, vi } from 'vitest'
import { operatorSettings } from './settings.ts'

afterEach(() => vi.unstubAllEnvs())

function stubSettings(addresses: string, url = 'smtp://127.0.0.1:25') {
  vi.stubEnv('SMTP_URL', url)
  vi.stubEnv('MAIL_FROM', url && 'billing@reseller.example')
  vi.stubEnv('BASE_URL', 'https://console.example')
  vi.stubEnv('OPERATOR_MAIL', addresses)
  return operatorSettings
}

test('Several operators or none may be configured', () => {
  expect(stubSettings('ops@reseller.example , night@reseller.example')()).toEqual([
    'ops@reseller.example',
    'night@reseller.example',
  ])
  expect(stubSettings('')()).toEqual([])
})

test.each([['nobody'], ['ops@reseller.example,'], ['Ops <ops@reseller.example>']])(
  '"%s" is refused',
  (text) => {
    expect(stubSettings(text)).toThrow(/OPERATOR_MAIL.*: must be email addresses/)
  },
)

test('operators need a mail server', () => {
  expect(stubSettings('ops@reseller.example', '')).toThrow('SMTP_URL: is required, too')
})
