import { newApiKey } from '#lib/platform/caller/credentials.ts'

const JSON_BODY = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' }
const FORM_BODY = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' }
const SECRET = 'a'.repeat(43)

export type Call = { path: string; method?: string; headers?: Record<string, string>; body?: () => string }

const tokens = (count: number) => () =>
  JSON.stringify(Array.from({ length: count }, () => ({ token: newApiKey() })))

/** Calls that need no caller, one of each kind. */
export const CALLS: Record<string, Call> = {
  'no key': { path: '/billing/v1/assets' },
  'unknown key': { path: '/billing/v1/assets', headers: { authorization: `Bearer ${newApiKey()}` } },
  'unknown path of the API': { path: '/billing/v1/nowhere' },
  'API description': { path: '/billing/v1/openapi.json' },
  SCIM: { path: '/scim/v2/Users', headers: { authorization: `Bearer ${newApiKey()}` } },
  calendar: { path: `/calendar/${SECRET}` },
  'one leaked key': { path: '/auth/v1/leaked-keys', headers: JSON_BODY, body: tokens(1) },
  '100 leaked keys': { path: '/auth/v1/leaked-keys', headers: JSON_BODY, body: tokens(100) },
  link: {
    path: '/auth/v1/links',
    headers: JSON_BODY,
    body: () => JSON.stringify({ isNew: true, secret: SECRET, password: 'correct horse battery' }),
  },
  recovery: {
    path: '/auth/v1/recoveries',
    headers: JSON_BODY,
    body: () => JSON.stringify({ email: 'nobody@nowhere.example' }),
  },
  'passkey challenge': { path: '/auth/v1/passkey-challenges', headers: JSON_BODY, body: () => '{}' },
  'sign-in token': { path: '/api/auth/csrf' },
  'sign-in': {
    path: '/api/auth/callback/credentials',
    headers: FORM_BODY,
    body: () => 'email=nobody%40nowhere.example&password=correct-horse-battery&json=true',
  },
  'single sign-on': {
    path: '/auth/sign-on/begin',
    headers: FORM_BODY,
    body: () => 'email=nobody%40nowhere.example',
  },
  'return from single sign-on': { path: '/auth/sign-on/callback/nowhere?code=a&state=b' },
  logout: { path: '/auth/sign-on/logout/nowhere', headers: FORM_BODY, body: () => 'logout_token=a.b.c' },
  unsubscribe: { path: `/api/unsubscribe?token=${SECRET}`, headers: FORM_BODY, body: () => 'a=b' },
  'unsubscribe page': { path: `/unsubscribe?token=${SECRET}` },
  'sign-in page': { path: '/sign-in' },
  'page of a link': { path: `/reset/${SECRET}` },
  'unknown page': { path: '/nowhere' },
}
