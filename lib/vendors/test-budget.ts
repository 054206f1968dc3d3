import type { Budgets } from './budgets.ts'

/** For tests of what stands behind a budget, which has a test of its own: nothing is counted. */
export const uncounted: Budgets = () => ({
  acquire: async () => ({ kind: 'granted' }),
  close: async () => {},
  secondsUntilAvailable: async () => 0,
})
