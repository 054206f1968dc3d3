import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

// The library is loaded when needed: most users of a page never need it.

/** Options as our service returns them, without checking their content. */
type Options = Record<string, unknown>

/**
 * Asks the browser for a passkey that signs a challenge.
 * @throws Error whose message is for the user
 */
export async function promptPasskey(options: Options) {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return startAuthentication({ optionsJSON }).catch(explain)
}

/** Creates a passkey in the browser. @throws like `promptPasskey` */
export async function newPasskey(options: Options) {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  return startRegistration({ optionsJSON }).catch(explain)
}

/** The browser has no usable passkey, for the reason in the message. */
export class NoPasskey extends Error {}

function explain(error: unknown): never {
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError')
    throw new NoPasskey('This device has a passkey of yours for this console already.')
  if (name === 'NotAllowedError' || name === 'AbortError')
    throw new NoPasskey('No passkey was used: it was cancelled, took too long, or there is none here.')
  throw new NoPasskey('This browser or device cannot use a passkey here.')
}

/** Returns the text for a passkey that failed. */
export function passkeyText(error: unknown): string {
  if (error instanceof NoPasskey || error instanceof ProblemError) return error.message
  return 'No answer from the service. Check your connection and try again.'
}
