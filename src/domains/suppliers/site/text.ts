import { cleanName, cleanText } from '../../../kernel/clean-text.ts'

/** Converts the text of a page to one line without invisible characters; null if the result is empty. */
export const toSingleLine = (text: string, maxLength: number): string | null => cleanText(cleanName(text), maxLength).trim() || null
