import { resolve } from 'node:path'
import { CATALOG_COLUMNS } from '../domains/hotel-catalog/import/imported-hotel.ts'
import { importCatalogFile, type ImportReport } from '../domains/hotel-catalog/import/import-file.ts'
import { type Command, type CommandInput, type CommandResult, requireActionName, UsageError, withCommandDatabase } from './command.ts'

/** Interval in milliseconds at which the progress of a hotel catalog import is printed. */
const PROGRESS_MS = 2000

const ACTIONS = { import: importFile }

export const catalogCommand: Command = {
  usage: ['catalog import <file>'],
  summary: `import hotels for find_hotel from a CSV file (${CATALOG_COLUMNS.join(', ')}), GeoJSON, or an OpenStreetMap extract (Overpass JSON, OSM XML), also as .gz; repeating an import changes nothing`,
  run(given) {
    const [action, file, ...more] = given.words
    requireActionName('catalog', action, Object.keys(ACTIONS))
    if (file === undefined || more.length > 0) throw new UsageError('Give one file')
    return ACTIONS.import(given, file)
  },
}

function importFile(given: CommandInput, file: string): Promise<CommandResult> {
  const path = given.folder === undefined ? file : resolve(given.folder, file)
  return withCommandDatabase(given, async (database) => {
    const report = await importCatalogFile(path, database.transact, given.running ? undefined : createProgress())
    return { text: formatReport(file, report), data: report, failed: report.bad > 0 && report.bad === report.read }
  })
}

/** Prints the number of records to the standard error stream, because the standard output has the result. */
function createProgress(): (read: number) => void {
  let last = Date.now()
  return (read) => {
    if (Date.now() - last < PROGRESS_MS) return
    last = Date.now()
    process.stderr.write(`${read.toLocaleString('en')} records read\n`)
  }
}

function formatReport(file: string, report: ImportReport): string {
  const { format, read, added, changed, unchanged, skipped, bad, problems } = report
  const count = (number: number) => number.toLocaleString('en')
  return [
    `${file}: ${count(read)} records (${format}). ${count(added)} hotels added, ${count(changed)} changed, ${count(unchanged)} unchanged.`,
    ...(skipped > 0 ? [`${count(skipped)} records are not hotels and were left out.`] : []),
    ...(bad > 0 ? [`${count(bad)} records cannot be used:`] : []),
    ...problems.map((one) => `  ${one.at}: ${one.problems.join('; ')}`),
    ...(bad > problems.length ? [`  and ${count(bad - problems.length)} more`] : []),
  ].join('\n')
}
