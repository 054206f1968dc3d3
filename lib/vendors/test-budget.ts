import type { Budgets } from './budgets.ts'

/** Stub budget for tests of the code behind it: counts nothing. The budget has a test of its own. */
export const uncounted: Budgets = () => ({
  acquire: async () => ({ kind: 'granted' }),
  close: async () => {},
  secondsUntilAvailable: async () => 0,
})
