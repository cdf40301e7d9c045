export type Call = (tool: string, args: object) => Promise<any>
export type Figures = Record<string, unknown>

/**
 * One comparison: figures that several tools show, with a function for each tool that reads them. A figure that a tool omits counts as
 * zero.
 */
export interface ToolFigureComparison {
  about: string
  tools: Readonly<Record<string, (call: Call) => Promise<Figures>>>
}

const LIMIT = 1000

/** Turns the rows of a list into figures with names such as `pass.sold`. */
export const byRow = (rows: readonly any[], key: string, names: Readonly<Record<string, string>>): Figures =>
  Object.fromEntries(
    rows.flatMap((row) => Object.entries(names).map(([name, column]) => [`${String(row[key] ?? 'none')}.${name}`, row[column] ?? null])),
  )

export const queryRows = async (call: Call, query: object): Promise<any[]> => (await call('query_data', { limit: LIMIT, ...query })).rows
export const reportRows = async (call: Call, report: string): Promise<any[]> => (await call('run_report', { report, limit: LIMIT })).rows
export const countBy = async (call: Call, entity: string, field: string): Promise<Figures> =>
  byRow(await queryRows(call, { entity, groupBy: [field] }), field, { count: 'count' })

export const toCounts = (counts: Readonly<Record<string, number>>): Figures =>
  Object.fromEntries(Object.entries(counts).map(([key, count]) => [`${key}.count`, count]))
export const sameNames = (...names: string[]) => Object.fromEntries(names.map((name) => [name, name]))
