import type { FieldError, FieldErrorReasonKey } from './errors.ts'
import { fillPlaceholders } from './language/translator.ts'
import { englishTexts } from './language/words/en.ts'

/** Creates a field error. Its message is the English text of the language catalogue, so that assistants and pages show the same text. */
export const toFieldError = (
  path: string,
  key: FieldErrorReasonKey,
  values: Readonly<Record<string, string | number>> = {},
): FieldError => ({
  path,
  message: fillPlaceholders(englishTexts[key], 'en', values),
  reason: { key, values, always: true },
})
