import { scimError } from './protocol.ts'

/** Comparison of a known attribute with a value. */
export type Comparison<Name extends string> = { by: Name; value: string }

const FORM = /^\s*(\S+(?:\[type eq "work"\]\.value)?)\s+([a-z]{2})\s+("(?:[^"\\]|\\.)*")\s*$/i

/**
 * Parses a filter (RFC 7644, 3.4.2.2) of the one form that directories use: `userName eq "ana@example.com"`.
 * @param attributes searchable attributes in lower case, with their names here
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

/** Target of a PATCH operation: an attribute in lower case with its sub-attribute, and the filter for its values. */
export type Path = { name: string; filter?: string }

const PATH = /^([a-z$][\w$-]*)(?:\[([^\]]*)\])?((?:\.[a-z$][\w$-]*)?)$/i

/**
 * Parses the path of an operation (RFC 7644, 3.5.2).
 * @throws Problem `invalidPath`
 */
export function readPath(text: string): Path {
  const plain = withoutSchema(text)
  // An attribute of an extension, which is ignored.
  if (/^urn:/i.test(plain)) return { name: plain.toLowerCase() }
  const match = PATH.exec(plain)
  if (!match) throw scimError('invalidPath', 'The path of an operation cannot be read.')
  const [, name = '', filter, part = ''] = match
  return { name: (name + part).toLowerCase(), ...(filter === undefined ? {} : { filter }) }
}

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/i

/** Strips the schema from the name of an attribute. */
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

/** Returns whether the database can store a text unchanged. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
