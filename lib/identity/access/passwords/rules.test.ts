import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkPassword } from './check.ts'
import { commonForms, PASSWORD_MAX, PASSWORD_MIN, validatePassword } from './rules.ts'

const ana = {
  name: 'Ana María Ruiz-Ortega',
  email: 'ana.ruiz@sunbird.example',
  customerName: 'Sunbird AG',
  customerDomain: 'sunbird.example',
}

describe('a new password', () => {
  it.each([
    ['short one', /at least 10/],
    ['x'.repeat(201), /at most 200/],
    ['aaaaaaaaaaaa', /one character/],
    ['AAAAaaaaAAAA', /one character/],
    ['ana.ruiz@sunbird.example', /email address/],
    ['Ana.Ruiz@Sunbird.Example1', /email address/],
    ['anaruizanaruiz', /email address/],
    ['María-ortega1', /your name/],
    ['ＭＡＲÍＡ123456', /your name/],
    ['SunbirdAG2026', /email address|company/],
    ['1234567890', /most common ones$/],
    ['QwertyUiop', /most common ones$/],
    ['password1234', /most common ones/],
    ['!!Baseball2026!!', /digits or signs around/],
    ['87654321vv', /list of passwords that were leaked/],
  ])('%s is rejected with its own message', async (password, detail) => {
    expect(await checkPassword(password, ana)).toMatch(detail)
  })

  it.each([
    'correct horse battery',
    'sunbirds sing before the rain',
    'x7!kQ-vR2#pLw9',
    'ana likes long walks at night',
    'mi contraseña es larga y mía',
    '密码很长很长很长很长',
  ])('%s is accepted', async (password) => {
    expect(await checkPassword(password, ana)).toBeUndefined()
  })

  it('must differ from the present one', async () => {
    expect(await checkPassword('correct horse battery', ana, true)).toMatch(/have now/)
  })

  it('is accepted for an owner without a usable name', () => {
    const nobody = { name: '', email: 'a@b.co', customerName: '', customerDomain: '' }
    expect(validatePassword('correct horse battery', nobody)).toBeUndefined()
  })

  it('can be any text, and no check throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const violation = validatePassword(text, ana)
        if (text.length < PASSWORD_MIN || text.length > PASSWORD_MAX) expect(violation).toBeDefined()
        expect(commonForms(text).length).toBeGreaterThan(0)
      }),
    )
  })

  it('is never rejected for random characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[0-9b-z!#%&+]{24}$/), async (text) => {
        fc.pre(new Set(text).size > 8)
        expect(await checkPassword(text, ana)).toBeUndefined()
      }),
    )
  })
})
