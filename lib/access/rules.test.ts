import { expect, it } from 'vitest'
import { may, type Permission, type Role } from './rules.ts'

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
