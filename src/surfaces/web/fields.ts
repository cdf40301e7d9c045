import type { z } from 'zod'
import { AppError, type FieldError, type Reason } from '../../kernel/errors.ts'
import { type InputShape, inputShapeOf, inWords, shapeAt } from '../../kernel/input-shape.ts'
import { unkeepable } from '../../kernel/unkeepable.ts'
import type { Errors } from './components/forms.tsx'

/** The words beside a field, by the path of what it holds. */
export type Label = (path: string) => string

export interface Refused {
  message?: string
  /** Which refusal it is, for a page that has words of its own for it. */
  reason?: Reason
  /** Sent again with the form, it says that the person was asked. */
  confirmToken?: string
  errors?: Errors
}

/** What the form says, checked; or in words, field by field, what is wrong with it. */
export function readFields<S extends z.ZodType>(schema: S, given: unknown, label: Label): { data: z.output<S> } | { errors: Errors } {
  const parsed = schema.safeParse(given, { error: unsaid })
  if (!parsed.success) {
    const shape = inputShapeOf(schema)
    const issues = parsed.error.issues.map((issue) => ({
      path: issue.path.map(String).join('/'),
      message: outOfRange(shapeAt(shape, issue.path)) ?? issue.message,
    }))
    return { errors: named(issues, label) }
  }
  const unkept = unkeepable(given, 'holds a character that cannot be kept')
  return unkept.length > 0 ? { errors: named(unkept, label) } : { data: parsed.data }
}

/** A number is told with all that it may be, whichever part of that was missed. */
const outOfRange = (shape: InputShape | undefined): string | undefined =>
  shape?.type === 'integer' || shape?.type === 'number' ? `must be ${inWords(shape)}` : undefined

/** What the schema has no words of its own for. What the validator would say instead is meant for programmers. */
function unsaid(issue: z.core.$ZodRawIssue): string {
  const empty = issue.input === undefined || issue.input === ''
  if (issue.code === 'invalid_value') return 'choose one of those offered'
  if (empty || issue.code === 'too_small') return 'must not be empty'
  if (issue.code === 'too_big') return `at most ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'items'}`
  return 'is not written as it should be'
}

/** Runs a change. A refusal about what was typed comes back to be shown in the form; any other is not the form's to show. */
export async function attempt(run: () => Promise<unknown>, label: Label): Promise<Refused | null> {
  try {
    await run()
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'not_found') throw error
    const { fields, reason, confirmToken } = error.details
    if (fields) return { errors: named(fields, label) }
    return { message: error.message, ...(reason ? { reason } : {}), ...(confirmToken ? { confirmToken } : {}) }
  }
}

const named = (errors: readonly FieldError[], label: Label): Errors =>
  errors.map(({ path, message }) => ({ path, message: label(path) ? `${label(path)}: ${message}` : message }))
