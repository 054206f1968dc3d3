import { answerLogout } from '#lib/identity/access/sign-on/logout.ts'

type Context = { params: Promise<{ provider: string }> }

/** Ends the sessions of a user whose session at the issuer has ended (OpenID Connect Back-Channel Logout 1.0). */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  return answerLogout(request, (await params).provider)
}
