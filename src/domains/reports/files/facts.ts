import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { type Translator, chooseTranslator } from '../../../kernel/language/translator.ts'

export const FILE_FORMATS = ['json', 'csv', 'xlsx', 'pdf', 'html'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/** The header of a report file, in addition to its tables: report, event, time, parameters and requester. */
export interface ReportFileHeader {
  report: { code: string; name: string }
  event: { code: string; name: string; timezone: string }
  asOf: Date
  parameters: readonly { label: string; value: string }[]
  requestedBy: string
  containsPersonal: boolean
  /** The language of the texts in the file. */
  locale: string
  page?: { size: 'A4' | 'letter'; orientation: 'portrait' | 'landscape' }
  theme?: 'light' | 'dark'
}

/** Lists the header of a report file as pairs of label and value, in the language of the file. */
export function listFileHeaderFields(facts: ReportFileHeader): [label: string, value: string][] {
  const { locale, say } = chooseTranslator(facts.locale)
  return [
    [say('reportFile.event'), facts.event.name],
    [say('reportFile.asOf'), `${formatInstantWithTimeZone(locale, facts.asOf, facts.event.timezone)} (${facts.event.timezone})`],
    ...facts.parameters.map(({ label, value }): [string, string] => [label, value]),
    [say('reportFile.requestedBy'), facts.requestedBy],
    [say('reportFile.personal'), say(facts.containsPersonal ? 'reportFile.yes' : 'reportFile.no')],
  ]
}

export const getReportFileTranslator = (facts: ReportFileHeader): Translator => chooseTranslator(facts.locale)

/** Builds a file name from the event, the report and the time of the data, and whether the file contains personal data. */
export function buildReportFileName({ event, report, asOf, containsPersonal }: ReportFileHeader, extension: string): string {
  const stamp = asOf.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
  return `${event.code}-${report.code}-${stamp}Z${containsPersonal ? '-personal' : ''}.${extension}`
}
