/** Upper case first, so that ß becomes ss and the final sigma equals other sigmas. */
export const folded = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
