import type { z } from 'zod'
import { invalidArguments } from './errors.ts'

/** Parses the fields of a web form like the arguments of a tool. Each error names its field. */
export function parseFormInput<T extends z.ZodType>(shape: T, given: unknown): z.output<T> {
  const read = shape.safeParse(given)
  if (read.success) return read.data
  throw invalidArguments(read.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
}
