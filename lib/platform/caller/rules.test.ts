import { describe, expect, it } from 'vitest'
import { localPath, may, type Permission, type Role } from './rules.ts'

it.each<[Role[], Permission, boolean]>([
  [['it-manager'], 'licenses-manager', true],
  [['it-manager'], 'invoice-viewer', false],
  [['finance-user'], 'licenses-manager', false],
  [['finance-user'], 'invoice-viewer', true],
  [['admin'], 'licenses-manager', true],
  [['admin'], 'invoice-viewer', true],
  [['it-manager', 'finance-user'], 'invoice-viewer', true],
  [[], 'licenses-manager', false],
  [[], 'invoice-viewer', false],
])('%j may %s: %s (spec 5.3)', (roles, permission, allowed) => {
  expect(may({ roles }, permission)).toBe(allowed)
})

describe('the path after sign-in', () => {
  it.each([
    ['/', '/'],
    ['/assets?filter=type:a|b', '/assets?filter=type:a|b'],
    ['/invoices/INV%2F1', '/invoices/INV%2F1'],
    ['/a//b', '/a//b'],
    ['/a/../assets', '/assets'],
  ])('turns %s into %s', (from, path) => expect(localPath(from)).toBe(path))

  it.each([
    'https://elsewhere.example',
    '//elsewhere.example',
    '/\\elsewhere.example',
    '\\\\elsewhere.example',
    '/\t/elsewhere.example',
    '/.//elsewhere.example',
    '/..//elsewhere.example',
    '/%2e//elsewhere.example',
    '/./\\elsewhere.example',
    '/a/..//elsewhere.example',
    '//',
    '/.//',
    'assets',
    'javascript:alert(1)',
    '',
    '/sign-in?from=/sign-in',
    '/a/../sign-in',
  ])('turns %j into the start page', (path) => expect(localPath(path)).toBe('/'))
})
