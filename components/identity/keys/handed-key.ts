'use client'

let handedKey: string | undefined

/**
 * Hands a new key to the page that the user opens next: in memory only, so that it is gone with the tab's next full page
 * load, and no script of another page ever finds it.
 */
export function handKey(secret: string): void {
  handedKey = secret
}

/** Returns the key that was handed over, once. */
export function readHandedKey(): string | undefined {
  const secret = handedKey
  handedKey = undefined
  return secret
}
