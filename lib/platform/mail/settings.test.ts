import { beforeEach, describe, expect, test, vi } from 'vitest'
import { mailSettings } from './settings.ts'

const withEnvironment = (more: Record<string, string> = {}) => {
  const settings = {
    SMTP_URL: 'smtp://mail.example',
    MAIL_FROM: 'billing@example.com',
    BASE_URL: 'https://console.example',
  }
  for (const [name, value] of Object.entries({ ...settings, ...more })) vi.stubEnv(name, value)
}
beforeEach(() => {
  vi.unstubAllEnvs()
})

describe('notices', () => {
  test('are off without settings', () => {
    withEnvironment({ SMTP_URL: '', MAIL_FROM: '' })
    expect(mailSettings()).toBeUndefined()
  })

  test.each([
    ['SMTP_URL', 'MAIL_FROM'],
    ['MAIL_FROM', 'SMTP_URL'],
    ['BASE_URL', 'BASE_URL'],
  ])('report the missing settings where %s is set alone, or is missing', (name, missing) => {
    withEnvironment(name === 'BASE_URL' ? { BASE_URL: '' } : { [missing]: '' })
    expect(mailSettings).toThrow(`${missing}: is required, too`)
  })

  test.each([
    ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false, login: undefined }],
    ['smtps://mail.example', { host: 'mail.example', port: 465, secure: true }],
    ['smtp://mail.example:25/', { port: 25 }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525 }],
    ['smtp://a%40b:p%3Aq%2F@mail.example', { login: { user: 'a@b', password: 'p:q/' } }],
  ])('are sent to %s', (url, expected) => {
    withEnvironment({ SMTP_URL: url })
    expect(mailSettings()).toMatchObject(expected)
  })

  test.each([
    ['billing@example.com', { name: '', address: 'billing@example.com' }],
    [
      'Büro für Rechnungen <billing@example.com>',
      { name: 'Büro für Rechnungen', address: 'billing@example.com' },
    ],
    ['"Sales, Inc." <billing@example.com>', { name: 'Sales, Inc.', address: 'billing@example.com' }],
    ['<billing@example.com>', { name: '', address: 'billing@example.com' }],
  ])('are sent from %s', (text, from) => {
    withEnvironment({ MAIL_FROM: text })
    expect(mailSettings()?.from).toEqual(from)
  })

  test.each([
    ['SMTP_URL', 'mail.example'],
    ['SMTP_URL', 'https://mail.example'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'smtp://user-without-password@mail.example'],
    ['SMTP_URL', 'smtp://topsecret:%zz@mail.example'],
    ['SMTP_URL', 'smtp://mail.example/path'],
    ['SMTP_URL', 'smtp://u:topsecret@mail.example?tls.rejectUnauthorized=false'],
    ['MAIL_FROM', 'nobody'],
    ['MAIL_FROM', 'a@example.com, b@example.com'],
    ['MAIL_FROM', 'Billing <a@example.com>\r\nBcc: x@example.com'],
    ['MAIL_FROM', 'Bill\ning <a@example.com>'],
  ])('refuse %s=%j without repeating the value', (name, value) => {
    withEnvironment({ [name]: value })
    expect(mailSettings).toThrow(new RegExp(`^Wrong configuration\\. ${name}: must be as in`))
    expect(mailSettings).not.toThrow('topsecret')
  })
})
