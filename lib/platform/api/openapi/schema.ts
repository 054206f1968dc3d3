import { z } from 'zod'

export type Json = Record<string, unknown>

/** The JSON Schema of a type as it is read (`input`) or answered (`output`). */
export type SchemaOf = (type: z.ZodType, io: 'input' | 'output') => Json

/** Writes types that have an id into `schemas` and refers to them there. */
export function schemaWriter(schemas: Record<string, Json>): SchemaOf {
  return (type, io) => {
    const made = JSON.stringify(z.toJSONSchema(type, { io, unrepresentable: 'any', override: plain(io) }))
    const { $defs = {}, $schema, ...own } = JSON.parse(made.replaceAll('#/$defs/', '#/components/schemas/'))
    const named: Record<string, Json> = own.id ? { ...$defs, [own.id]: own } : $defs
    for (const [name, { id, ...rest }] of Object.entries(named)) schemas[name] = rest
    return own.id ? { $ref: `#/components/schemas/${own.id}` } : own
  }
}

/**
 * Answers may grow, so they don't forbid what they don't name. Whole numbers are that; without a bound of their own
 * they have 64 bits, which a generated client has to know: milliseconds don't fit into 32.
 */
function plain(io: 'input' | 'output') {
  return ({ jsonSchema }: { jsonSchema: Json }) => {
    if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    if (Number.isInteger(jsonSchema.const)) jsonSchema.type = 'integer'
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
      delete jsonSchema.maximum
      jsonSchema.format = 'int64'
    }
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  }
}
