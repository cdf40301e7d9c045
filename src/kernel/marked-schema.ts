import { z } from 'zod'
import { briefWords, likeWords, outsideWords, referenceWords, secretWords } from './args.ts'

export interface JsonSchema {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: unknown[]
  [keyword: string]: unknown
}

interface Marks {
  brief?: string
  like?: string
  outside?: true
  reference?: true
  secret?: true
}

export type Marked = JsonSchema & Marks & { anyOf?: Marked[] }

/** A schema as JSON Schema with what we say of its parts beside the standard's words. Whatever is told of tools is read from this. */
export const markedSchema = (schema: z.ZodType): Marked =>
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const marked = jsonSchema as Marked
      const [brief, like] = [briefWords.get(zodSchema)?.brief, likeWords.get(zodSchema)?.like]
      if (brief !== undefined) marked.brief = brief
      if (like !== undefined) marked.like = like
      if (outsideWords.has(zodSchema)) marked.outside = true
      if (referenceWords.has(zodSchema)) marked.reference = true
      if (secretWords.has(zodSchema)) marked.secret = true
    },
  }) as Marked
