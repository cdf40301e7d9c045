import type { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { groupErrorsByKind } from '../../kernel/error-kinds.ts'
import { AppError, invalidArguments } from '../../kernel/errors.ts'
import { enqueueJob } from '../../kernel/jobs.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { fetchHeadshots } from '../sessions/fetch-headshots.ts'
import { addSpeakerToSession, listSessionIdsByName } from '../sessions/speaker-sessions.ts'
import { SPEAKER_RECORD } from '../sessions/speaker-record.ts'
import { createSpeaker, type NewSpeaker, type SpeakerRow, updateSpeaker } from '../sessions/speakers.ts'
import type { SpeakerRole } from '../sessions/tables.ts'
import { formatCell, isBlankCell, type SheetRow } from '../sheets/cells.ts'
import type { MappableField } from '../sheets/detect.ts'
import { computeSheetProfile, type SheetProfile } from '../sheets/profile.ts'
import { PERSON_COLUMN_HEADINGS } from '../sheets/synonyms.ts'
import { openSingleSheet } from './library-sheets.ts'
import { checkColumnOverrides, type ColumnOverride, mapColumns } from './mapping.ts'

const ROLES = ['speaker', 'moderator', 'panelist', 'presenter', 'author'] as const
/** Fields of the speaker that a column can contain. Lists and nested values are edited with manage_speaker. */
const RECORD_FIELDS = ['firstName', 'lastName', 'email', 'company', 'jobTitle', 'bio', 'country', 'disclosure'] as const
const OTHER_FIELDS = {
  headshot: 'headshot, photo, picture, image, portrait, photo url, headshot url, foto, bild, portrat, photo url',
  session: 'session, talk, session title, session code, presentation, vortrag, programmpunkt, conference, sesion, sessione, sessie, sessao',
  role: 'role, speaker role, rolle, funktion, ponente, ruolo, rol, funcao',
} as const
const OWN_SYNONYMS: Record<string, string> = {
  bio: 'bio, biography, about, about the speaker, biografie, vita, biographie, biografia, curriculum',
  disclosure: 'disclosure, conflict of interest, disclosures, interessenkonflikt, offenlegung',
}
export const SPEAKER_IMPORT_FIELDS = [...RECORD_FIELDS, ...(Object.keys(OTHER_FIELDS) as (keyof typeof OTHER_FIELDS)[])]
type ImportField = (typeof SPEAKER_IMPORT_FIELDS)[number]

/** Lists the column headings by which a field is recognized. A column "role" is the role in a conference session, not the job title. */
function listHeadings(name: ImportField): string[] {
  const words = (text: string) => text.split(',').map((word) => word.trim())
  const own = OTHER_FIELDS[name as keyof typeof OTHER_FIELDS] as string | undefined
  const taken = new Set(words(OTHER_FIELDS.role))
  return [
    name,
    ...(own === undefined
      ? words(OWN_SYNONYMS[name] ?? PERSON_COLUMN_HEADINGS[name] ?? '').filter((word) => !taken.has(word))
      : words(own)),
  ]
}

const TARGETS: readonly MappableField[] = SPEAKER_IMPORT_FIELDS.map((name) => ({
  name,
  called: listHeadings(name),
  type: name === 'email' ? 'email' : 'text',
}))

export const MAX_SPEAKER_ROWS = 5000
const MAX_AMBIGUOUS_SHOWN = 100

export interface SpeakerSheet extends SheetProfile {
  content: readonly SheetRow[]
}

/** Reads the table of speakers before the database transaction begins, because a file may be slow to read. */
export async function readSpeakerSheet(
  ctx: Parameters<typeof openSingleSheet>[0],
  { fileId, rows }: { fileId?: string | undefined; rows?: readonly Record<string, unknown>[] | undefined },
): Promise<SpeakerSheet> {
  if ((fileId === undefined) === (rows === undefined)) throw invalidArguments([{ path: 'fileId', message: 'pass either fileId or rows' }])
  const sheet = rows ? toSheet(rows) : await openSingleSheet(ctx, { fileId })
  const content: SheetRow[] = []
  for await (const row of sheet.rows()) {
    if (content.length === MAX_SPEAKER_ROWS) throw new AppError('limit_exceeded', `At most ${MAX_SPEAKER_ROWS} rows; split the file`)
    content.push(row)
  }
  return { ...(await computeSheetProfile(sheet)), content }
}

/** Converts rows in the tool arguments to a sheet: one column per key, with row numbers as in a spreadsheet. */
function toSheet(rows: readonly Record<string, unknown>[]) {
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cell = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : value === null || value === undefined
        ? null
        : JSON.stringify(value)
  return {
    name: 'rows',
    header,
    headerRow: 1,
    async *rows() {
      for (const [index, row] of rows.entries()) yield { number: index + 2, cells: header.map((column) => cell(row[column])) }
    },
  }
}

interface ImportRequest {
  mapping: readonly ColumnOverride[]
  onMatch: 'update' | 'skip' | 'fill'
}

interface InvalidCell {
  row: number
  path: string
  message: string
}

interface Outcome {
  created: number
  updated: number
  skipped: number
  unchanged: number
  invalid: InvalidCell[]
  ambiguous: { row: number; candidates: string[] }[]
}

/** Imports speakers. A row is matched by email address, else by name and company. Rows with errors are left out, the others are imported. */
export async function importSpeakers(ctx: EventContext, { mapping, onMatch }: ImportRequest, sheet: SpeakerSheet) {
  checkColumnOverrides(
    mapping,
    sheet.columns.map(({ name }) => name),
    (field) => field === 'ignore' || (SPEAKER_IMPORT_FIELDS as readonly string[]).includes(field),
    [...SPEAKER_IMPORT_FIELDS, 'ignore'],
  )
  const columns = mapColumns(sheet.columns, TARGETS, mapping)
  const outcome: Outcome = { created: 0, updated: 0, skipped: 0, unchanged: 0, invalid: [], ambiguous: [] }
  const known = await createIndex(ctx)
  const sessions = await listSessionIdsByName(ctx)
  const seen = new Set<string>()
  const headshots: { speakerId: string; url: string; row: number }[] = []
  for (const { number, cells } of sheet.content) {
    const given = new Map(
      columns.flatMap(({ field }, index) =>
        field === null || field === 'ignore' || isBlankCell(cells[index])
          ? []
          : [[field as ImportField, formatCell(cells[index])] as const],
      ),
    )
    const read = readRow(number, given, sessions)
    if ('invalid' in read) {
      outcome.invalid.push(...read.invalid)
      continue
    }
    const matches = known.find(read.fields)
    if (matches.length > 1) {
      outcome.ambiguous.push({ row: number, candidates: matches.map(({ id }) => id) })
      continue
    }
    const speaker = await saveRow(ctx, { ...read, row: number, match: matches[0] ?? null, onMatch, seen }, outcome)
    if (!speaker) continue
    known.add(speaker)
    const url = given.get('headshot')
    if (
      url !== undefined &&
      (speaker.headshot_file_id === null || onMatch === 'update') &&
      !headshots.some(({ speakerId }) => speakerId === speaker.id)
    )
      headshots.push({ speakerId: speaker.id, url, row: number })
  }
  const { shown, errorKinds } = groupErrorsByKind(outcome.invalid)
  const job = headshots.length > 0 ? await enqueueJob(ctx, fetchHeadshots, { headshots }, { eventId: ctx.event.id }) : null
  return {
    rows: sheet.content.length,
    ...outcome,
    invalid: shown,
    errorKinds,
    ambiguous: outcome.ambiguous.slice(0, MAX_AMBIGUOUS_SHOWN),
    ambiguousCount: outcome.ambiguous.length,
    invalidRows: new Set(outcome.invalid.map(({ row }) => row)).size,
    mapping: columns.map(({ column, field, confidence }) => ({
      column,
      ...(field === null ? {} : { field }),
      sure: confidence === 'sure' || confidence === 'told',
    })),
    ...(job ? { headshots: { ...job, count: headshots.length } } : {}),
  }
}

type RowFields = Partial<Record<(typeof RECORD_FIELDS)[number], string>>

interface ReadRow {
  fields: RowFields
  session: string | null
  role: SpeakerRole
}

function readRow(
  row: number,
  given: ReadonlyMap<ImportField, string>,
  sessions: ReadonlyMap<string, string>,
): ReadRow | { invalid: InvalidCell[] } {
  const invalid: InvalidCell[] = []
  const fields: RowFields = {}
  for (const field of RECORD_FIELDS) {
    const value = given.get(field)
    if (value === undefined) continue
    const parsed = (SPEAKER_RECORD.fields[field].type as z.ZodType<string>).safeParse(value)
    if (parsed.success) fields[field] = parsed.data
    else invalid.push({ row, path: field, message: parsed.error.issues[0]!.message })
  }
  const named = given.get('session')
  const session = named === undefined ? null : (sessions.get(foldName(named)) ?? null)
  if (named !== undefined && session === null) invalid.push({ row, path: 'session', message: 'no session has this title or code' })
  const role = (given.get('role') ?? 'speaker').toLowerCase()
  if (!(ROLES as readonly string[]).includes(role)) invalid.push({ row, path: 'role', message: `is not one of ${ROLES.join(', ')}` })
  for (const field of ['firstName', 'lastName'] as const) if (!given.has(field)) invalid.push({ row, path: field, message: 'is missing' })
  return invalid.length > 0 ? { invalid } : { fields, session, role: role as SpeakerRole }
}

const foldName = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim()

/** Indexes the known speakers by email address, and by name together with company. */
async function createIndex(ctx: EventContext) {
  const rows = new Map<string, SpeakerRow>()
  const byEmail = new Map<string, string>()
  const byName = new Map<string, Set<string>>()
  const keyOf = (first = '', last = '', company: string | null | undefined = '') => foldName(`${first} ${last} @ ${company ?? ''}`)
  const add = (row: SpeakerRow) => {
    rows.set(row.id, row)
    byEmail.set(row.email_norm, row.id)
    const key = keyOf(row.first_name, row.last_name, row.company)
    byName.set(key, (byName.get(key) ?? new Set()).add(row.id))
  }
  for (const row of await eventDb(ctx).selectFrom('speakers').selectAll().execute()) add(row)
  const find = ({ email, firstName, lastName, company }: RowFields): SpeakerRow[] => {
    const id = email === undefined ? undefined : byEmail.get(foldEmailCase(email))
    const ids = id === undefined ? [...(byName.get(keyOf(firstName, lastName, company)) ?? [])] : [id]
    return ids.map((one) => rows.get(one)!)
  }
  return { add, find }
}

interface RowToSave extends ReadRow {
  row: number
  match: SpeakerRow | null
  onMatch: ImportRequest['onMatch']
  /** Ids of the speakers that earlier rows matched. */
  seen: Set<string>
}

/** Saves the speaker of one row and counts the result. Returns null if the row is not imported. */
async function saveRow(
  ctx: EventContext,
  { fields, session, role, row, match, onMatch, seen }: RowToSave,
  outcome: Outcome,
): Promise<SpeakerRow | null> {
  if (!match && fields.email === undefined) {
    outcome.invalid.push({ row, path: 'email', message: 'is missing' })
    return null
  }
  const isRepeated = match !== null && seen.has(match.id)
  if (session && match && !(await attach(ctx, match.id, session, role, row, outcome))) return null
  if (isRepeated || (match && onMatch === 'skip')) {
    outcome.skipped++
    return match
  }
  const saved = match
    ? await updateMatch(ctx, match, fields, onMatch)
    : { speaker: await createSpeaker(ctx, fields as NewSpeaker), changed: null }
  seen.add(saved.speaker.id)
  if (session && !match) await addSpeakerToSession(ctx, { speakerId: saved.speaker.id, sessionId: session, role })
  if (saved.changed === null) outcome.created++
  else if (saved.changed.length > 0) outcome.updated++
  else outcome.unchanged++
  return saved.speaker
}

async function attach(
  ctx: EventContext,
  speakerId: string,
  sessionId: string,
  role: SpeakerRole,
  row: number,
  outcome: Outcome,
): Promise<boolean> {
  try {
    await addSpeakerToSession(ctx, { speakerId, sessionId, role })
    return true
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    outcome.invalid.push({ row, path: 'session', message: 'the speaker has another session at that time' })
    return false
  }
}

const COLUMNS = { company: 'company', jobTitle: 'job_title', bio: 'bio', country: 'country', disclosure: 'disclosure' } as const

async function updateMatch(ctx: EventContext, match: SpeakerRow, fields: RowFields, onMatch: ImportRequest['onMatch']) {
  const { email: _email, ...others } = fields
  const edit =
    onMatch === 'update'
      ? others
      : Object.fromEntries(
          Object.entries(COLUMNS).flatMap(([field, column]) =>
            match[column] === null && others[field as 'bio'] !== undefined ? [[field, others[field as 'bio']]] : [],
          ),
        )
  const { row, changed } = await updateSpeaker(ctx, match.id, edit)
  return { speaker: row, changed }
}
