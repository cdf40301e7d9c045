import { z } from 'zod'
import {
  oneLineDescriptionRegistry,
  argumentExampleRegistry,
  meaningfulNullFieldRegistry,
  fieldDocsRegistry,
  untrustedTextRegistry,
  recordIdRegistry,
  secretArgumentRegistry,
  type ArgumentTextKind,
} from './args.ts'
import type { IdKindName } from './id-kinds.ts'

export interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: unknown[]
  [keyword: string]: unknown
}

interface SchemaAnnotations {
  brief?: string
  like?: string
  outside?: true
  reference?: true
  kind?: IdKindName
  form?: ArgumentTextKind
  secret?: true
  meaning?: string
  keepsNull?: true
}

export type AnnotatedSchema = JsonSchema & SchemaAnnotations & { anyOf?: AnnotatedSchema[] }

/**
 * Converts a Zod schema to JSON Schema with our own annotations as additional keywords. The published tool list and documentation derive
 * from it.
 */
export const toAnnotatedSchema = (schema: z.ZodType): AnnotatedSchema =>
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const marked = jsonSchema as AnnotatedSchema
      const brief = oneLineDescriptionRegistry.get(zodSchema)?.brief
      if (brief !== undefined) marked.brief = brief
      const { example: like, form } = argumentExampleRegistry.get(zodSchema) ?? {}
      if (like !== undefined) marked.like = like
      if (form !== undefined) marked.form = form
      const meaning = fieldDocsRegistry.get(zodSchema)?.meaning
      if (meaning !== undefined) marked.meaning = meaning
      if (untrustedTextRegistry.has(zodSchema)) marked.outside = true
      if (recordIdRegistry.has(zodSchema)) marked.reference = true
      const kind = recordIdRegistry.get(zodSchema)?.kind
      if (kind !== undefined) marked.kind = kind
      if (secretArgumentRegistry.has(zodSchema)) marked.secret = true
      if (meaningfulNullFieldRegistry.has(zodSchema)) marked.keepsNull = true
    },
  }) as AnnotatedSchema

/** Whether a schema accepts null. A nullable primitive is written as a list of types, any other nullable type as `anyOf`. */
export const acceptsNull = ({ type, anyOf }: AnnotatedSchema): boolean =>
  [type].flat().includes('null') || (anyOf?.some(acceptsNull) ?? false)
