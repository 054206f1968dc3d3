import type { ComponentProps } from 'react'

/** White surface with a thin border. */
export function Card({ className = '', ...rest }: ComponentProps<'div'>) {
  return <div {...rest} className={`rounded-card border border-line bg-surface shadow-card ${className}`} />
}
