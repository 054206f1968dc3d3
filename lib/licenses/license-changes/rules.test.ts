import { describe, expect, it } from 'vitest'
import { CHANGE_STATES, isConfirmed, isOpen, OPEN_STATES } from './rules.ts'

describe('the states of a change', () => {
  it('are open or settled; those that we do not know count as settled', () => {
    expect([...CHANGE_STATES, 'LATER'].filter(isOpen)).toEqual([...OPEN_STATES])
  })

  it('only what was sent and applied is confirmed by the vendor', () => {
    const sentAt = new Date()
    expect(CHANGE_STATES.filter((state) => isConfirmed({ state, sentAt, settledBy: null }))).toEqual([
      'APPLIED',
    ])
    expect(CHANGE_STATES.filter((state) => isConfirmed({ state, sentAt: null, settledBy: null }))).toEqual([])
    expect(CHANGE_STATES.filter((state) => isConfirmed({ state, sentAt, settledBy: 'operator' }))).toEqual([])
  })
})
