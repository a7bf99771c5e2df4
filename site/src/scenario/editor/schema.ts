// Walks a JSON Schema along a path of keys, as far as completion needs it.
export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
}

/** The schema for the value at path; undefined if there is none. */
export function schemaAt(root: Schema, path: readonly (string | number)[]): Schema | undefined {
  let here: Schema | undefined = resolve(root, root)
  for (const key of path) {
    here = typeof key === 'number' ? here?.items : here?.properties?.[key]
    here = here && resolve(root, here)
  }
  return here
}

function resolve(root: Schema, schema: Schema): Schema {
  const name = schema.$ref?.startsWith('#/$defs/') ? schema.$ref.slice('#/$defs/'.length) : undefined
  const target = name === undefined ? undefined : root.$defs?.[name]
  return target ? { ...target, description: schema.description ?? target.description ?? '' } : schema
}

/** The values that a schema lists. */
export function listed(schema: Schema): string[] {
  if (schema.type === 'boolean') return ['true', 'false']
  return (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).map(String)
}
