import type { z } from 'zod'
import { AppError, type FieldError, type ErrorReason } from '../../kernel/errors.ts'
import { formatLimit, removeMisleadingLimitIssues } from '../../kernel/limit-messages.ts'
import { type InputShape, buildInputShapeFromSchema, describeArgumentShape, findArgumentShape } from '../../kernel/input-shape.ts'
import { findUnstorableText } from '../../kernel/storable-text.ts'
import type { FieldErrors } from './components/forms.tsx'

/** Returns the label of the form field at a path. */
export type FieldLabelLookup = (path: string) => string

export interface FormErrors {
  message?: string
  /** The machine-readable reason of the error, for pages that have their own text for it. */
  reason?: ErrorReason
  /** The confirmation token, which the form submits when the user confirms the change. */
  confirmToken?: string
  errors?: FieldErrors
}

/** Validates the form. Errors name the field by its label, in words for users. */
export function validateFormFields<S extends z.ZodType>(
  schema: S,
  given: unknown,
  label: FieldLabelLookup,
): { data: z.output<S> } | { errors: FieldErrors } {
  const parsed = schema.safeParse(given, { error: defaultMessage })
  if (!parsed.success) {
    const shape = buildInputShapeFromSchema(schema)
    const issues = removeMisleadingLimitIssues(parsed.error.issues).map((issue) => ({
      path: issue.path.map(String).join('/'),
      message: rangeMessage(findArgumentShape(shape, issue.path)) ?? issue.message,
    }))
    return { errors: withLabels(issues, label) }
  }
  const unstorable = findUnstorableText(given, 'contains a character that cannot be saved')
  return unstorable.length > 0 ? { errors: withLabels(unstorable, label) } : { data: parsed.data }
}

/** Returns one message for a number outside its range. It states the whole range, whichever bound was exceeded. */
const rangeMessage = (shape: InputShape | undefined): string | undefined =>
  shape?.type === 'integer' || shape?.type === 'number' ? `must be ${describeArgumentShape(shape)}` : undefined

/** Returns the message for a validation error whose schema contains no text. The validator's default messages are meant for programmers. */
function defaultMessage(issue: z.core.$ZodRawIssue): string {
  const empty = issue.input === undefined || issue.input === ''
  if (issue.code === 'invalid_value') return 'choose one of the options'
  if (empty || issue.code === 'too_small') return 'must not be empty'
  if (issue.code === 'too_big') return `at most ${formatLimit(issue.maximum as number, issue.origin)}`
  return 'is not in the correct format'
}

/** Runs a change. Errors about the input are returned, to be shown in the form; `forbidden` and `not_found` are thrown. */
export async function catchFormErrors(run: () => Promise<unknown>, label: FieldLabelLookup): Promise<FormErrors | null> {
  try {
    await run()
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'forbidden' || error.code === 'not_found') throw error
    const { fields, reason, confirmToken } = error.details
    if (fields) return { errors: withLabels(fields, label) }
    return { message: error.message, ...(reason ? { reason } : {}), ...(confirmToken ? { confirmToken } : {}) }
  }
}

const withLabels = (errors: readonly FieldError[], label: FieldLabelLookup): FieldErrors =>
  errors.map(({ path, message }) => ({ path, message: label(path) ? `${label(path)}: ${message}` : message }))
