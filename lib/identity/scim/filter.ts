import { scimError } from './protocol.ts'

/** One comparison: which of the known attributes has to be what. */
export type Comparison<Name extends string> = { by: Name; value: string }

const FORM = /^\s*(\S+(?:\[type eq "work"\]\.value)?)\s+([a-z]{2})\s+("(?:[^"\\]|\\.)*")\s*$/i

/**
 * Reads a filter (RFC 7644, 3.4.2.2) of the one form that directories ask by: `userName eq "ana@example.com"`.
 * @param attributes by which may be looked for, in lower case, and what they mean here
 * @throws Problem `invalidFilter`
 */
export function readFilter<Name extends string>(
  text: string,
  attributes: Record<string, Name>,
): Comparison<Name> {
  const [, path = '', operator = '', quoted = ''] = FORM.exec(text) ?? []
  const names = withoutSchema(path).toLowerCase()
  const by = Object.hasOwn(attributes, names) ? attributes[names] : undefined
  const value = textOf(quoted)
  if (by === undefined || value === undefined || operator.toLowerCase() !== 'eq') {
    const supported = [...new Set(Object.values(attributes))].join(', ')
    throw scimError('invalidFilter', `A filter has the form: attribute eq "text", by one of ${supported}.`)
  }
  return { by, value }
}

/** What PATCH is about: an attribute in lower case, with the part of it after a dot, and which of its values. */
export type Path = { name: string; filter?: string }

const PATH = /^([a-z$][\w$-]*)(?:\[([^\]]*)\])?((?:\.[a-z$][\w$-]*)?)$/i

/**
 * Reads the path of an operation (RFC 7644, 3.5.2).
 * @throws Problem `invalidPath`
 */
export function readPath(text: string): Path {
  const plain = withoutSchema(text)
  // Of an extension, which nothing is kept of.
  if (/^urn:/i.test(plain)) return { name: plain.toLowerCase() }
  const match = PATH.exec(plain)
  if (!match) throw scimError('invalidPath', 'The path of an operation can not be read.')
  const [, name = '', filter, part = ''] = match
  return { name: (name + part).toLowerCase(), ...(filter === undefined ? {} : { filter }) }
}

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/i

/** An attribute may be named with the schema that it is of. */
export function withoutSchema(path: string): string {
  return path.replace(CORE, '')
}

function textOf(quoted: string): string | undefined {
  try {
    const text: unknown = JSON.parse(quoted)
    return typeof text === 'string' && isStorable(text) ? text : undefined
  } catch {
    return undefined
  }
}

/** Whether the database can hold a text as it is. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
