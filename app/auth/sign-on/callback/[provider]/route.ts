import { answerCallback } from '#lib/identity/access/sign-on/answers.ts'

type Context = { params: Promise<{ provider: string }> }

/** Completes a single sign-on, as the target of the issuer's redirect. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  return answerCallback(request, (await params).provider)
}
