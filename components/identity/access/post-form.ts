/** Sends a form to next-auth with its CSRF token. `isBusy`: too many requests from this address. */
export async function postForm(
  path: string,
  fields: Record<string, string>,
): Promise<{ ok: boolean; isBusy?: boolean; url?: string }> {
  const csrfResponse = await fetch('/api/auth/csrf')
  if (csrfResponse.status === 429) return { ok: false, isBusy: true }
  const { csrfToken } = (await csrfResponse.json()) as { csrfToken: string }
  const response = await fetch(path, {
    method: 'POST',
    body: new URLSearchParams({ ...fields, csrfToken, json: 'true' }),
  })
  if (response.status === 429) return { ok: false, isBusy: true }
  const { url } = (await response.json()) as { url?: string }
  return { ok: response.ok, ...(url === undefined ? {} : { url }) }
}
