/**
 * Follows a fake's pages as a browser does, until a redirect leads back to the console.
 * @param location to which the console redirected
 * @returns the provider's id in the callback address, and the callback's parameters
 */
export async function signOnAt(
  location: string,
): Promise<{ providerId: string; query: Record<string, string> }> {
  const { origin } = new URL(location)
  const cookies = new Map<string, string>()
  let next = location
  for (let steps = 0; steps < 10; steps++) {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(next, { headers: { cookie }, redirect: 'manual' })
    for (const header of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? []
      cookies.set(name, value)
    }
    const led = answer.headers.get('location')
    if (led === null) throw new Error(`The issuer leads nowhere: ${answer.status} ${await answer.text()}`)
    const target = new URL(led, next)
    if (target.origin !== origin) {
      const providerId = target.pathname.split('/').at(-1) ?? ''
      return { providerId, query: Object.fromEntries(target.searchParams) }
    }
    next = target.href
  }
  throw new Error('The issuer leads in circles.')
}
