import type { JsonSchema } from '../../src/kernel/annotated-schema.ts'

const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array']

/** JSON Schema keywords that every known client supports. Some clients reject the whole server for any other keyword. */
const SUPPORTED_KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'default',
  'description',
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
])

const MAX_CHOICES = 20
const MAX_DESCRIPTION_LENGTH = 90

/** Lists the parts of a schema that a known client cannot handle, each with its path. */
export function findSchemaProblems(schema: JsonSchema, side: 'input' | 'output'): string[] {
  const problems = schema.type === 'object' ? [] : [`/: the root is ${String(schema.type)}, not an object`]
  visit(schema, '')
  return problems

  function visit(part: JsonSchema, path: string): void {
    const report = (fault: string) => problems.push(`${path || '/'}: ${fault}`)
    for (const keyword of Object.keys(part)) if (!SUPPORTED_KEYWORDS.has(keyword)) report(`${keyword} is not supported by every client`)
    if (typeof part.type !== 'string') report(part.type === undefined ? 'has no type' : 'has several types')
    else if (!TYPES.includes(part.type)) report(`${part.type} is not a type`)
    if (part.default === null) report('defaults to null')
    if (part.enum?.length === 0 || (side === 'input' && (part.enum?.length ?? 0) > MAX_CHOICES)) report(`has ${part.enum?.length} choices`)
    if (typeof part.description === 'string' && part.description.length > MAX_DESCRIPTION_LENGTH)
      report('has a description of more than 90 characters')
    if (!/^[\x20-\x7e]*$/.test(JSON.stringify({ ...part, properties: Object.keys(part.properties ?? {}) }))) report('is not ASCII')
    for (const name of part.required ?? []) if (!part.properties?.[name]) report(`requires ${name}, which it does not have`)
    if (part.type === 'array' && (!part.items || Array.isArray(part.items))) report('has no type for its items')
    for (const [name, property] of Object.entries(part.properties ?? {})) visit(property, `${path}/${name}`)
    if (part.items && !Array.isArray(part.items)) visit(part.items, `${path}/*`)
  }
}
