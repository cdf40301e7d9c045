import { z } from 'zod'
import { briefRegistry, exampleRegistry, meaningRegistry, untrustedTextRegistry, referenceRegistry, secretRegistry } from './args.ts'

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
  secret?: true
  meaning?: string
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
      const [brief, like] = [briefRegistry.get(zodSchema)?.brief, exampleRegistry.get(zodSchema)?.example]
      if (brief !== undefined) marked.brief = brief
      if (like !== undefined) marked.like = like
      const meaning = meaningRegistry.get(zodSchema)?.meaning
      if (meaning !== undefined) marked.meaning = meaning
      if (untrustedTextRegistry.has(zodSchema)) marked.outside = true
      if (referenceRegistry.has(zodSchema)) marked.reference = true
      if (secretRegistry.has(zodSchema)) marked.secret = true
    },
  }) as AnnotatedSchema
