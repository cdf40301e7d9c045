import { cleanName, cleanText } from '../../../kernel/clean-text.ts'

/** Text of a page on one line, without invisible characters; null if nothing is left. */
export const toLine = (text: string, maxLength: number): string | null => cleanText(cleanName(text), maxLength).trim() || null
