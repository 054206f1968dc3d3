import { EventEmitter } from 'node:events'
import { vi } from 'vitest'

/** Process that records exit requests and messages to its primary, and goes on. */
export class TestProcess extends EventEmitter {
  readonly exit = vi.fn() as unknown as typeof process.exit
  readonly send = vi.fn((_message: unknown, done: () => void) => {
    done()
    return true
  }) as unknown as NonNullable<typeof process.send>
  connected = true
}
