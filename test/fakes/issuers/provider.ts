import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

/** The issuer's claims about a user; `sub` is the issuer's own id of the user. */
export type Account = {
  sub: string
  email: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

export type FakeIssuer = {
  issuer: string
  clientId: string
  clientSecret: string
  /** All users of the issuer, by address. The user in the login hint is signed in without a prompt. */
  accounts: Map<string, Account>
  /** Notifies a console's back-channel logout address that a user's session has ended. */
  logOut(subject: string, address: string): Promise<void>
  /** Stops listening, like a server that is down. */
  close(): Promise<void>
}

/** Members that oidc-provider's types leave out. */
type LogoutClient = {
  backchannelLogoutUri: string
  backchannelLogout(subject: string, session: string): Promise<void>
}

const CLIENT = { clientId: 'console', clientSecret: 'a secret of the console and its issuer' }

/**
 * Starts a real OpenID Connect provider (oidc-provider) on this machine, which requires no password.
 * @param port 0 for any free one
 */
export async function startIssuer(port = 0): Promise<FakeIssuer> {
  const accounts = new Map<string, Account>()
  const server = createServer()
  const issuer = await listen(server, port)
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [`${issuer}/nowhere`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        backchannel_logout_uri: `${issuer}/nowhere`,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    findAccount: (_, sub) => {
      const account = [...accounts.values()].find((one) => one.sub === sub)
      return account && { accountId: sub, claims: () => ({ email_verified: true, ...account }) }
    },
    features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
    // The provider does not call this machine's addresses by itself.
    fetch: (address, init) => {
      const { method, headers, body } = init as RequestInit & Record<'method' | 'body', string>
      return fetch(address, { method, headers, body, redirect: 'manual' })
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['only for tests'] },
    ttl: {
      AccessToken: 300,
      AuthorizationCode: 60,
      Grant: 3600,
      IdToken: 300,
      Interaction: 300,
      Session: 3600,
    },
    pkce: { required: () => true },
    renderError: (ctx, out) => {
      ctx.type = 'text'
      ctx.body = JSON.stringify(out)
    },
  })
  // The redirect addresses are known once a provider is configured in the console.
  provider.Client.prototype.redirectUriAllowed = () => true
  provider.Client.prototype.postLogoutRedirectUriAllowed = () => true
  const logOut = async (subject: string, address: string) => {
    const client = (await provider.Client.find(CLIENT.clientId)) as LogoutClient | undefined
    if (!client) throw new Error('There is no client.')
    client.backchannelLogoutUri = address
    await client.backchannelLogout(subject, 'of no session')
  }
  const answer = provider.callback()
  server.on('request', async (req, res) => {
    if (!req.url?.startsWith('/interaction/')) return answer(req, res)
    const { params, prompt, session } = await provider.interactionDetails(req, res)
    const account = accounts.get(String(params.login_hint))
    if (!account) {
      const error = { error: 'access_denied', error_description: 'Nobody is called so.' }
      return provider.interactionFinished(req, res, error)
    }
    if (prompt.name === 'login')
      return provider.interactionFinished(req, res, { login: { accountId: account.sub } })
    const grant = new provider.Grant({
      accountId: session?.accountId ?? account.sub,
      clientId: CLIENT.clientId,
    })
    grant.addOIDCScope(String(params.scope))
    return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } })
  })
  return { issuer, ...CLIENT, accounts, logOut, close: () => end(server) }
}

/** Listens on a free port of this machine, and returns the address. */
export async function listen(server: Server, port = 0): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export function end(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
