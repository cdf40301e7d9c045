import type { FieldError, FieldReasonKey } from './errors.ts'
import { fillPlaceholders } from './language/translator.ts'
import { en } from './language/words/en.ts'

/** Creates a field error. Its message is the English text of the language catalogue, so that assistants and pages show the same text. */
export const toFieldError = (path: string, key: FieldReasonKey, values: Readonly<Record<string, string | number>> = {}): FieldError => ({
  path,
  message: fillPlaceholders(en[key], 'en', values),
  reason: { key, values, always: true },
})
