import { answerBegin } from '#lib/identity/access/sign-on/answers.ts'

/** The console's form asks where an address's people sign in. */
export function POST(request: Request): Promise<Response> {
  return answerBegin(request)
}
