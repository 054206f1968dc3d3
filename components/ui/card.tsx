import type { ComponentProps } from 'react'

/** A white surface with a hairline around it. */
export function Card({ className = '', ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={`rounded-card border border-line bg-surface shadow-card ${className}`} />
}
