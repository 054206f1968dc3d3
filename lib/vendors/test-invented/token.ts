import 'server-only'
import type { Tokens } from '../client.ts'
import type { Config } from './settings.ts'

/** Paperclip takes its key for a token. */
export function tokens({ key }: Pick<Config, 'key'>): Tokens {
  return {
    token: async () => ({ kind: 'token', value: key }),
    drop() {},
  }
}
