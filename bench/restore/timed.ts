/** Returns how many seconds the work took, as text. */
export async function timed(work: () => Promise<unknown>): Promise<string> {
  const began = performance.now()
  await work()
  return secondsSince(began)
}

/** @param began time from `performance.now()` */
export function secondsSince(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(1)
}
