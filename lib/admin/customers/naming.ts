import { z } from 'zod'
import { Problem } from '#lib/platform/api/problem.ts'
import { checkedText } from '../command.ts'

/** @throws Problem where it is empty, too long, or has control characters */
export function nameOf(text: string): string {
  return checkedText('name', text)
}

/** In small letters. @throws Problem where it is no domain */
export function domainOf(text: string): string {
  const domain = text.trim().toLowerCase()
  if (!z.hostname().max(253).safeParse(domain).success || !domain.includes('.'))
    throw new Problem('invalid_request', `"${text}" is not a domain such as sunbird.example.`)
  return domain
}

/** @throws Problem where it is no e-mail address */
export function contactOf(text: string): string {
  const email = text.trim()
  if (!z.email().max(254).safeParse(email).success)
    throw new Problem('invalid_request', `"${text}" is not an e-mail address.`)
  return email
}
