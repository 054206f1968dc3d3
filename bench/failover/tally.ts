/** Responses during one part of the run. */
export class Tally {
  readonly name: string
  changes = 0
  reads = 0
  /** Counts of refusals by their name, such as `503`, `503 not ours` or `no answer`. */
  readonly refused = new Map<string, number>()
  /** The first refusal that did not come from the service, or was a 500. */
  fault: string | undefined
  #longest = 0
  #last = performance.now()

  constructor(name: string) {
    this.name = name
  }

  answered(answer: Response, text: string, isWrite: boolean): void {
    if (!answer.ok) this.#refused(answer, text)
    else if (isWrite) {
      this.changes += 1
      this.end()
    } else this.reads += 1
  }

  /** Counts a connection that ended without a response. */
  broken(error: unknown): void {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    this.#add('no answer', String(cause))
  }

  /** Updates the longest time without an acknowledgment. */
  end(): void {
    const now = performance.now()
    this.#longest = Math.max(this.#longest, now - this.#last)
    this.#last = now
  }

  /** Returns the longest time without an acknowledged change, in seconds. */
  stoppedSeconds(): number {
    return this.#longest / 1000
  }

  #refused(answer: Response, text: string): void {
    const isProblem = answer.headers.get('content-type')?.startsWith('application/problem+json')
    const isOurs = isProblem && answer.status !== 500 && answer.headers.has('retry-after')
    const isExpected = isOurs && (answer.status === 503 || answer.status === 409)
    this.#add(isExpected ? String(answer.status) : `${answer.status} not ours`, text, isExpected)
  }

  #add(what: string, text: string, isExpected = false): void {
    this.refused.set(what, (this.refused.get(what) ?? 0) + 1)
    if (!isExpected) this.fault ??= `${what}: ${text.slice(0, 300)}`
  }
}
