'use client'

import { Button } from './button.tsx'

/** Prints what the page shows. */
export function PrintButton() {
  return <Button onClick={() => print()}>Print</Button>
}
