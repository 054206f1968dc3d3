/** Documents that are drawn at the same time: a long one takes some 200 MB. */
const MOST_AT_ONCE = 2

let running = 0
const waiting: (() => void)[] = []

/** Runs `draw` when fewer than two others run. */
export async function inTurn<T>(draw: () => Promise<T>): Promise<T> {
  if (running >= MOST_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await draw()
  } finally {
    // The next one takes over the place.
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}
