/** Tells how far a long command is. */
export type Progress = { update(count: number, what?: string): void; end(): void }

/** Where it is written to. */
type Output = { isTTY?: boolean; write(text: string): unknown }

/** A line that is written over, on a terminal; a line more where a log or another program reads it. */
const ON_TERMINAL = { pause: 100, before: '\r\u001b[K', after: '' }
const IN_A_LOG = { pause: 5000, before: '', after: '\n' }

/**
 * @param what the things that are counted: `lines read`; `update` may name others
 * @param now milliseconds of a clock that only goes forward
 */
export function progress(
  what: string,
  stderr: Output = process.stderr,
  now = () => performance.now(),
): Progress {
  const { pause, before, after } = stderr.isTTY ? ON_TERMINAL : IN_A_LOG
  // A command that is done before the first pause is over says nothing in a log.
  let shownAt = stderr.isTTY ? Number.NEGATIVE_INFINITY : now()
  let shown = false
  return {
    update(count, other) {
      // A look at the clock for each line would cost more than the line.
      if (count % 64 !== 0) return
      const time = now()
      if (time - shownAt < pause) return
      shownAt = time
      shown = true
      stderr.write(`${before}${count.toLocaleString('en-US')} ${other ?? what} …${after}`)
    },
    end() {
      if (shown && stderr.isTTY) stderr.write('\r\u001b[K')
      shown = false
    },
  }
}
