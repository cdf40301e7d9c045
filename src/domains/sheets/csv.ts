/** The first characters of a formula. Spreadsheet programs of East Asian languages also accept them in full width. */
const FORMULA_START = '[=+\\-@\\t\\r\\n＝＋－＠]'
const FORMULA = new RegExp(`^${FORMULA_START}`)
const NEUTRALIZED_FORMULA = new RegExp(`^'${FORMULA_START}`)

/** Prefixes text with an apostrophe if a spreadsheet program would run it as a formula (CSV injection). */
export const escapeCsvFormula = (text: string) => (FORMULA.test(text) ? `'${text}` : text)

/** Removes the apostrophe that `escapeCsvFormula` adds, which spreadsheet programs also use to mark a cell as text. */
export const unescapeCsvFormula = (cell: string) => (NEUTRALIZED_FORMULA.test(cell) ? cell.slice(1) : cell)

/** Quotes a cell by RFC 4180 if its content requires quotes. */
export const quoteCsvCell = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const formatCsvCell = (value: string | number) => quoteCsvCell(escapeCsvFormula(String(value)))

export const formatCsvLine = (cells: readonly (string | number)[]): string => `${cells.map(formatCsvCell).join(',')}\n`
