/** Case-folds a text. It is first converted to upper case, so that ß becomes ss and a final sigma equals other sigmas. */
export const foldCase = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
