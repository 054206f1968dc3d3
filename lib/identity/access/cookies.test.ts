import { afterEach, expect, test, vi } from 'vitest'
import { newDeviceCookie, setDeviceCookie } from './sign-ins/browsers.ts'
import { authOptions } from './sign-ins/next-auth.ts'

afterEach(() => void vi.unstubAllEnvs())

/** Returns all cookies that the server sets, each with its name and attributes. */
function cookies() {
  const { sessionToken, csrfToken, callbackUrl, ...more } = authOptions().cookies ?? {}
  expect(more).toEqual({})
  const ofSignIn = [sessionToken, csrfToken, callbackUrl].map((cookie) => {
    const { httpOnly, sameSite, path, secure, ...other } = cookie?.options ?? {}
    return { name: cookie?.name, httpOnly, sameSite, path, secure, other }
  })
  const [pair = '', ...attributes] = setDeviceCookie(newDeviceCookie()).split('; ')
  const has = (text: string) => attributes.includes(text)
  const device = {
    name: pair.split('=')[0],
    httpOnly: has('HttpOnly'),
    sameSite: has('SameSite=Lax') ? 'lax' : 'other',
    path: has('Path=/') ? '/' : 'other',
    secure: has('Secure'),
    other: attributes.some((text) => text.startsWith('Domain=')) ? { domain: true } : {},
  }
  return [...ofSignIn, device]
}

test.each([
  ['https://console.example', '__Host-', true],
  ['http://localhost:3000', '', false],
])(
  'cookies with %s are HttpOnly and bound to this host, as far as browsers support that',
  (baseUrl, prefix, secure) => {
    vi.stubEnv('BASE_URL', baseUrl)
    const names = ['session', 'csrf', 'callback', 'browser'].map((name) => `${prefix}console-${name}`)
    expect(cookies()).toEqual(
      names.map((name) => ({ name, httpOnly: true, sameSite: 'lax', path: '/', secure, other: {} })),
    )
  },
)
