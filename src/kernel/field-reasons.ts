import type { FieldError, FieldReasonKey } from './errors.ts'
import { fillPlaceholders } from './language/translator.ts'
import { en } from './language/words/en.ts'

/** A field error whose English message is the text of the catalogue, so that assistants and pages say the same. */
export const toFieldError = (path: string, key: FieldReasonKey, values: Readonly<Record<string, string | number>> = {}): FieldError => ({
  path,
  message: fillPlaceholders(en[key], 'en', values),
  reason: { key, values, always: true },
})
