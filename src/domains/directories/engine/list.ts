import { CsvError, parse } from 'csv-parse/sync'
import { foldEmailCase } from '../../../kernel/email-address.ts'
import { invalidArguments } from '../../../kernel/errors.ts'
import { cleanText } from '../../../kernel/clean-text.ts'

export const MEMBER_LIST_LIMITS = { rows: 50_000, bytes: 5 * 1024 * 1024, columns: 100 } as const

export interface MemberListColumn {
  name: string
  /** Whether members are looked up by this column, as email or as member number. At most one column has each role. */
  role: 'email' | 'memberNumber' | null
}

export interface MemberList {
  columns: MemberListColumn[]
  /** Cell values by column name; empty cells are left out. `line` is the line in the file, where the header is line 1. */
  rows: { line: number; values: Record<string, string> }[]
  /** Line numbers of rows with the same email or member number, so that a lookup finds several rows. */
  duplicates: { role: 'email' | 'memberNumber'; lines: number[] }[]
  /** Line numbers of rows without an email and member number, which no lookup can find. */
  linesWithoutKey: number[]
}

const SYNONYMS: Readonly<Record<'email' | 'memberNumber', readonly string[]>> = {
  email: splitWords(`
    email emailaddress mail mailaddress primaryemail emailprimary contactemail
    emailadresse mailadresse adressemail adresseemail courriel adressecourriel adresseelectronique
    correo correoelectronico direcciondecorreo direccioncorreo`),
  memberNumber: splitWords(`
    membernumber memberno memberid membernr membershipnumber membershipno membershipid member
    mitgliedsnummer mitgliedsnr mitgliednummer mitgliednr mitgliedernummer mitglied
    numerodemembre numeromembre nmembre nodemembre numerodadherent numeroadherent numadherent adherent
    numerodesocio numerosocio nsocio nosocio idsocio socio numerodemiembro miembro`),
}

/** First characters of an XLSX file, raw and in base64, to reject it with a helpful message. */
const XLSX_SIGNATURES = ['PK\x03\x04', 'UEsDB']

/** Parses an uploaded member list. Errors name the column and line, never a value. */
export function parseMemberList(csvText: string): MemberList {
  if (XLSX_SIGNATURES.some((start) => csvText.startsWith(start)))
    throw wrong('This is an Excel workbook (XLSX), which is not supported here. Save it as CSV UTF-8 and upload that.')
  if (csvText.includes('\0')) throw wrong('This is not a CSV text. Save the sheet as CSV UTF-8 and upload that.')
  if (Buffer.byteLength(csvText) > MEMBER_LIST_LIMITS.bytes) throw wrong('The list is larger than 5 MB')
  const [heading, ...lines] = parseLines(csvText.replace(/^\uFEFF/, ''))
  if (!heading) throw wrong('The list is empty')
  if (lines.length > MEMBER_LIST_LIMITS.rows) throw wrong(`The list has ${lines.length} rows, more than ${MEMBER_LIST_LIMITS.rows}`)
  const columns = readColumns(heading.cells)
  const tooLong = lines.find(({ cells }) => cells.findLastIndex((cell) => cell !== '') >= columns.length)
  if (tooLong) throw wrong(`Line ${tooLong.line} of the list has more cells than the header`)
  const rows = lines.map(({ line, cells }) => ({ line, values: valuesOf(columns, cells) }))
  return { columns, rows, duplicates: findDuplicates(columns, rows), linesWithoutKey: listLinesWithoutKey(columns, rows) }
}

/** Normalizes an email or member number for comparison, because typed values differ in case, spaces and hyphens. */
export function normalizeMemberIdentifier(role: 'email' | 'memberNumber', text: string): string {
  if (role === 'email') return foldEmailCase(text.trim())
  return text
    .normalize('NFKC')
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '')
}

interface Line {
  line: number
  cells: string[]
}

function parseLines(text: string): Line[] {
  try {
    const records = parse(text, {
      delimiter: detectDelimiter(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      bom: true,
    })
    return (records as unknown as { record: string[]; info: { lines: number } }[])
      .map(({ record, info }) => ({ line: info.lines, cells: record.map((cell) => cleanText(cell, 2000).trim()) }))
      .filter(({ cells }) => cells.some((cell) => cell !== ''))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw wrong(`Line ${String(error.lines)} of the list cannot be read: a quotation mark is missing or inside a cell`)
  }
}

/** Detects the delimiter by the first line: spreadsheets in many countries use semicolons. */
function detectDelimiter(text: string): string {
  const first = text.slice(0, text.search(/[\r\n]|$/))
  return [',', ';', '\t', '|'].map((sign) => ({ sign, count: first.split(sign).length })).toSorted((a, b) => b.count - a.count)[0]!.sign
}

function readColumns(heading: readonly string[]): MemberListColumn[] {
  if (heading.length > MEMBER_LIST_LIMITS.columns) throw wrong(`The list has more than ${MEMBER_LIST_LIMITS.columns} columns`)
  const names = heading.map((name, index) => cleanText(name, 100) || `Column ${index + 1}`)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw wrong(`The list has two columns with the same heading, number ${names.indexOf(twice) + 1} and ${names.lastIndexOf(twice) + 1}`)
  const [email, memberNumber] = [columnFor('email', names), columnFor('memberNumber', names)]
  if (email === null && memberNumber === null)
    throw wrong('No column has a heading for the email or the member number, such as Email or Member number')
  return names.map((name) => ({ name, role: name === email ? 'email' : name === memberNumber ? 'memberNumber' : null }))
}

/** Finds the column of emails or member numbers by its header. Synonyms are in order of preference. */
function columnFor(role: 'email' | 'memberNumber', names: readonly string[]): string | null {
  const plain = (name: string) =>
    name
      .normalize('NFKD')
      .replace(/ß/g, 'ss')
      .replace(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase()
  return SYNONYMS[role].map((synonym) => names.find((name) => plain(name) === synonym)).find((name) => name !== undefined) ?? null
}

const valuesOf = (columns: readonly MemberListColumn[], cells: readonly string[]): Record<string, string> =>
  Object.fromEntries(columns.flatMap(({ name }, index) => (cells[index] ? [[name, cells[index]]] : [])))

function findDuplicates(columns: readonly MemberListColumn[], rows: MemberList['rows']): MemberList['duplicates'] {
  return columns.flatMap(({ name, role }) => {
    if (!role) return []
    const lines = Map.groupBy(
      rows.filter(({ values }) => values[name] !== undefined),
      ({ values }) => normalizeMemberIdentifier(role, values[name]!),
    )
    return [...lines.values()].filter((same) => same.length > 1).map((same) => ({ role, lines: same.map(({ line }) => line) }))
  })
}

function listLinesWithoutKey(columns: readonly MemberListColumn[], rows: MemberList['rows']): number[] {
  const keys = columns.filter(({ role }) => role !== null).map(({ name }) => name)
  return rows.filter(({ values }) => keys.every((name) => values[name] === undefined)).map(({ line }) => line)
}

const wrong = (message: string) => invalidArguments([{ path: '', message }])

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/)
}
