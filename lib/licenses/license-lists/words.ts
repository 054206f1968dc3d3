import type { Totals } from './rules.ts'

/** In words: `Set 12 assets, +137 licenses, of which 90 can’t be lowered before their renewal`. */
export function totalsText({ assets, added, removed, committed }: Totals): string {
  const count = (value: number) => value.toLocaleString('en')
  const parts = [added > 0 ? `+${count(added)}` : '', removed > 0 ? `−${count(removed)}` : ''].filter(Boolean)
  const only = added + removed === 1 ? 'license' : 'licenses'
  const what = `Set ${count(assets)} ${assets === 1 ? 'asset' : 'assets'}, ${parts.join(' and ')} ${only}`
  if (committed === 0) return what
  const which =
    removed > 0
      ? `; ${committed < added ? `${count(committed)} of the added ones` : 'the added ones'} `
      : `, ${committed < added ? `of which ${count(committed)}` : 'which'} `
  return `${what}${which}can’t be lowered before their renewal`
}
