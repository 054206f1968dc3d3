import { EventEmitter } from 'node:events'
import { vi } from 'vitest'

export const READY = { url: 'http://127.0.0.1:3000', note: 'PostgreSQL 18' }

/** Simulated worker process, controlled by the test. Each method resolves when all of its effects have happened. */
export class Child extends EventEmitter {
  static all: Child[] = []
  readonly id = Child.all.push(this)
  readonly process = { pid: 1000 + this.id, kill: vi.fn(() => true) }
  readonly send = vi.fn(() => true)
  connected = true
  isConnected = () => this.connected
  ready = (readyWorker = READY) => flush(this.emit('message', { ready: readyWorker }))
  fail = (reason: string) => flush(this.emit('message', { failed: reason }))
  exit = (code: number | null, signal: string | null = null) => {
    this.connected = false
    return flush(this.emit('exit', code, signal))
  }
}

/** Runs pending effects without advancing time; the timers are fake. */
export const flush = (_happened: unknown) => vi.advanceTimersByTimeAsync(0)
