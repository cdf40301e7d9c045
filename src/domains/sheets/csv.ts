/** A cell that a spreadsheet program would take for a formula is shown as text. */
const cell = (value: string | number) => {
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One row of comma-separated text. */
export const csvLine = (cells: readonly (string | number)[]): string => `${cells.map(cell).join(',')}\n`
