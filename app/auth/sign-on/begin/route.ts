import { answerBegin } from '#lib/identity/access/sign-on/answers.ts'

/** Returns the address of the issuer for an email address, for the console's form. */
export function POST(request: Request): Promise<Response> {
  return answerBegin(request)
}
