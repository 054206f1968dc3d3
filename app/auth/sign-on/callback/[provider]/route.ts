import { answerCallback } from '#lib/identity/access/sign-on/answers.ts'

type Context = { params: Promise<{ provider: string }> }

/** An issuer leads the browser back here. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  return answerCallback(request, (await params).provider)
}
