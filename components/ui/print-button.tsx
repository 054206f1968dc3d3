'use client'

import { Button } from './button.tsx'

/** Prints the page. */
export function PrintButton() {
  return <Button onClick={() => print()}>Print</Button>
}
