/** Prefixes text that a spreadsheet program would run as a formula (CSV injection). */
export const neutralizeFormula = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** Removes the prefix that `neutralizeFormula` adds. Spreadsheet programs treat the apostrophe as a mark of text as well. */
export const restoreFormula = (cell: string) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

/** Quotes a cell by RFC 4180 if its content requires quotes. */
export const quoteCsvCell = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const formatCsvCell = (value: string | number) => quoteCsvCell(neutralizeFormula(String(value)))

export const formatCsvLine = (cells: readonly (string | number)[]): string => `${cells.map(formatCsvCell).join(',')}\n`
