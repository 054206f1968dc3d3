import { answerLogout } from '#lib/identity/access/sign-on/logout.ts'

type Context = { params: Promise<{ provider: string }> }

/** An issuer says that somebody's session there has ended (OpenID Connect Back-Channel Logout 1.0). */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  return answerLogout(request, (await params).provider)
}
