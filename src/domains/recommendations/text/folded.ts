/** Converts to upper case before lower case, so that ß becomes ss and the final sigma equals other sigmas. */
export const folded = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
