/** A line on the terminal that tells how far a long command is; nothing where stderr is none. */
export type Progress = { update(count: number): void; end(): void }

const PAUSE = 100

/** @param what the things that are counted: `lines` */
export function progress(what: string): Progress {
  const { stderr } = process
  if (!stderr.isTTY) return { update() {}, end() {} }
  let shownAt = 0
  let shown = false
  return {
    update(count) {
      // A look at the clock for each line would cost more than the line.
      if (count % 64 !== 0) return
      const now = performance.now()
      if (now - shownAt < PAUSE) return
      shownAt = now
      shown = true
      stderr.write(`\r${count.toLocaleString('en-US')} ${what} read …`)
    },
    end() {
      if (shown) stderr.write('\r\u001b[K')
      shown = false
    },
  }
}
