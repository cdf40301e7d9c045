/** Upper case first: only that way does ß become ss and the last sigma of a word the same as any other. */
export const folded = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
