import { type Example, problemAnswer } from '#lib/platform/api/openapi/example.ts'

const PROVIDER_ID = '9a7d2c51-52a4-4b7e-a7c5-60a1a1a5f2d4'
const providerExample = (id: string, name: string) => ({
  ...{ id, name, issuer: 'https://login.northwind.example', clientId: 'console', state: 'on' },
  ...{ scopes: ['email', 'profile'], verifiedClaim: 'email_verified', joinRoles: null, mappings: [] },
  redirectUri: `https://console.example.com/auth/sign-on/callback/${id}`,
  logoutUri: `https://console.example.com/auth/sign-on/logout/${id}`,
})
const PROVIDER = providerExample(PROVIDER_ID, 'Northwind')
const AGREED = {
  joinRoles: ['it-manager'],
  mappings: [{ claim: 'groups', value: 'billing-team', role: 'finance-user' }],
}
const record = (domain: string) => ({
  type: 'TXT',
  name: `_licenses-invoices.${domain}`,
  text: 'licenses-invoices-sign-on=5b1f0c9f3a6d4e2b8c7a1d0e9f2b3c4d5e6f7a8b',
})
const DOMAIN = {
  domain: 'northwind.example',
  providerId: PROVIDER_ID,
  state: 'proven',
  provenTime: 1795168800000,
  provenBy: 'operator',
  record: record('northwind.example'),
}
const by = 'session'

export const readSignOn: readonly Example[] = [
  {
    name: 'sign-on',
    summary: 'Two identity providers; one domain leads to the second',
    answer: {
      status: 200,
      body: {
        passwords: 'allowed',
        providers: [providerExample('p-former', 'Former'), PROVIDER],
        domains: [DOMAIN],
      },
    },
  },
]

export const addIdentityProvider: readonly Example[] = [
  {
    name: 'unfit',
    summary: 'An issuer without TLS',
    by,
    body: {
      name: 'Staff',
      issuer: 'http://login.northwind.example',
      clientId: 'console',
      clientSecret: 'the secret of the client',
    },
    answer: problemAnswer('issuer_unfit', 'The issuer has to begin with https://.', {
      errors: [{ pointer: '/issuer', detail: 'has to begin with https://' }],
    }),
  },
]

export const changeIdentityProvider: readonly Example[] = [
  {
    name: 'joining',
    summary: 'Anyone who signs in becomes a member; a group makes Finance Users',
    by,
    params: { provider_id: PROVIDER_ID },
    body: AGREED,
    answer: { status: 200, body: { ...PROVIDER, ...AGREED } },
  },
]

export const removeIdentityProvider: readonly Example[] = [
  {
    name: 'removed',
    summary: 'It is turned off',
    by,
    params: { provider_id: 'p-former' },
    answer: { status: 200, body: { removed: true } },
  },
  {
    name: 'by-key',
    summary: 'An API key does not change by what people get in',
    params: { provider_id: PROVIDER_ID },
    answer: problemAnswer(
      'permission_denied',
      'Changing how people sign in requires a signed-in member. An API key cannot grant access, so a stolen key is useless once it ends.',
    ),
  },
]

export const addSignOnDomain: readonly Example[] = [
  {
    name: 'waiting',
    summary: 'A domain that has to be proven yet',
    by,
    body: { domain: 'Mail.Northwind.example', providerId: PROVIDER_ID },
    answer: {
      status: 200,
      body: {
        domain: 'mail.northwind.example',
        providerId: PROVIDER_ID,
        state: 'waiting',
        record: record('mail.northwind.example'),
      },
    },
  },
]

export const checkSignOnDomain: readonly Example[] = [
  {
    name: 'proven',
    summary: 'A domain that is proven',
    by,
    params: { domain: 'northwind.example' },
    answer: { status: 200, body: DOMAIN },
  },
]

export const removeSignOnDomain: readonly Example[] = [
  {
    name: 'removed',
    summary: 'Its people do not sign in there any more',
    by,
    params: { domain: 'mail.northwind.example' },
    answer: { status: 200, body: { removed: true } },
  },
]

export const setPasswordSignIn: readonly Example[] = [
  {
    name: 'not-sure',
    summary: 'By an Admin who has signed in by password',
    by,
    body: { allowed: false },
    answer: problemAnswer(
      'last_way_in',
      'Sign out, sign in by single sign-on, and turn passwords off then: so it is certain that you get in again.',
    ),
  },
  {
    name: 'allowed',
    summary: 'Password sign-in turned on',
    by,
    body: { allowed: true },
    answer: {
      status: 200,
      body: { passwords: 'allowed', providers: [{ ...PROVIDER, ...AGREED }], domains: [DOMAIN] },
    },
  },
]
