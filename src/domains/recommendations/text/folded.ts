/** Case-folds a text. Upper case comes before lower case, so that ß becomes ss and the final sigma equals other sigmas. */
export const foldCase = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
