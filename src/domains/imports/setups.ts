import { type Selectable, sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import { hashCanonicalJson } from '../../kernel/canonical.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, conflict, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { CODE_PATTERN, newId } from '../../kernel/ids.ts'
import type { FileStore } from '../../kernel/ports.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { mergeIntoConfigDraft } from '../authoring/merge-into-draft.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import { SHEET_LIMITS } from '../sheets/limits.ts'
import { computeSheetProfile } from '../sheets/profile.ts'
import type { Sheet } from '../sheets/sheets.ts'
import {
  type ImportQuestionAnswers,
  type ImportProposal,
  type ProposedSheet,
  proposeSheetMapping,
  listSetupQuestions,
  type SheetWithProfile,
} from './propose.ts'
import { requireNoRunningImport } from './claim.ts'
import { getLibraryFile, openUploadedFileSheets, openPastedTextSheets } from './library-sheets.ts'
import { countMatchedRows } from './joins.ts'
import { checkColumnOverrides } from './mapping.ts'
import { listImportFields } from './fields.ts'
import { toDraftConfigItems, findMissingConfigItems } from './setup-parts.ts'
import type { ImportSetupsTable } from './tables.ts'
import { checkStateChange } from '../../kernel/states.ts'
import { IMPORT_SETUP_STATES } from './states.ts'

export interface FileInImportSetup {
  fileId: string
  sha256: string
}

export type ImportSetupAnswers = ImportQuestionAnswers

export type ImportSetupRow = Selectable<ImportSetupsTable>

export interface ImportSetupRequest {
  fileIds?: readonly string[] | undefined
  text?: string | undefined
  sourceSystem?: string | undefined
  kinds?: ImportQuestionAnswers['kinds'] | undefined
  mapping?: ImportQuestionAnswers['mapping'] | undefined
  values?: ImportQuestionAnswers['values'] | undefined
  formats?: ImportQuestionAnswers['formats'] | undefined
  flowSlug?: string | undefined
  save: boolean
  setupId?: string | undefined
}

/** Whether the call only reads an existing import setup. */
export const isReadOnlyImportSetupRequest = ({ setupId, save, ...rest }: ImportSetupRequest) =>
  setupId !== undefined && !save && Object.values(rest).every((value) => value === undefined)

export async function getImportSetup(ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>, setupId: string): Promise<ImportSetupRow> {
  const row = await eventDb(ctx).selectFrom('import_setups').selectAll().where('id', '=', setupId).executeTakeFirst()
  if (!row) throw notFound(`No import setup ${setupId} at this event`)
  return row
}

/** Opens the sheets of all files of an import setup. Each sheet gets a name that is unique within the setup. */
export async function openImportSetupSheets(
  ctx: Parameters<typeof getLibraryFile>[0] & { files: FileStore },
  { files, content }: Pick<ImportSetupRow, 'files' | 'content'>,
): Promise<(Sheet & { file: number; called: string })[]> {
  const opened: (Sheet & { file: number; called: string })[] = []
  if (content !== null) return (await openPastedTextSheets(content, 'text')).map((sheet) => ({ ...sheet, file: 0, called: sheet.name }))
  for (const [file, { fileId }] of files.entries()) {
    for (const sheet of await openUploadedFileSheets(ctx.files, await getLibraryFile(ctx, fileId))) {
      let name = sheet.name
      for (let again = 2; opened.some((other) => other.name.toLowerCase() === name.toLowerCase()); again++)
        name = `${sheet.name} (${again})`
      opened.push({ ...sheet, name, file, called: sheet.name })
    }
  }
  return opened
}

export interface PreparedImportSetup {
  before: ImportSetupRow | null
  files: FileInImportSetup[]
  content: string | null
  answers: ImportSetupAnswers
  proposal: ImportProposal
  flowSlug: string
  sourceSystem: string
}

/**
 * Reads the files of an import setup completely, at most twice, and proposes a mapping of their columns. Called before the database
 * transaction begins.
 */
export async function prepareImportSetup(
  ctx: EventContext & { files: FileStore },
  request: ImportSetupRequest,
): Promise<PreparedImportSetup | null> {
  if (ctx.event.status === 'archived') throw preconditionFailed(`${ctx.event.name} is archived and can no longer be changed`)
  const before = request.setupId === undefined ? null : await getImportSetup(ctx, request.setupId)
  if (isReadOnlyImportSetupRequest(request)) return null
  await requireNoRunningImport(ctx)
  const source = await resolveSource(ctx, request, before)
  const answers = mergeAnswers(before?.answers, request)
  const sheets = await openImportSetupSheets(ctx, source)
  const { config } = await readDraftConfiguration(ctx)
  requireKnownColumns(config, answers, sheets)
  const read: SheetWithProfile[] = []
  for (const { file, name, called, headerRow, ...sheet } of sheets) {
    if (sheet.header.length === 0) continue
    read.push({ file, name, called, header: headerRow, profile: await computeSheetProfile({ ...sheet, name, headerRow }) })
  }
  const rows = read.reduce((sum, { profile }) => sum + profile.rows, 0)
  if (rows > SHEET_LIMITS.rows)
    throw new AppError('limit_exceeded', `The files have ${rows} rows in total, more than 500,000. Import them in parts.`)
  const proposed = read.map((one): ProposedSheet => proposeSheetMapping(config, one, answers))
  const questions = listSetupQuestions(proposed, answers)
  const joins = await countMatchedRows(sheets, proposed, answers.formats)
  return {
    before,
    ...source,
    answers,
    proposal: { sheets: proposed, joins, questions },
    flowSlug: request.flowSlug ?? before?.flow_slug ?? 'imported',
    sourceSystem: request.sourceSystem ?? before?.source_system ?? '',
  }
}

const MAX_FILES = 10

async function resolveSource(ctx: EventContext, { fileIds, text }: ImportSetupRequest, before: ImportSetupRow | null) {
  if (fileIds !== undefined && text !== undefined) throw invalidArguments([{ path: 'text', message: 'pass either fileIds or text' }])
  if (text !== undefined) return { files: [], content: text }
  if (fileIds === undefined) {
    if (!before) throw invalidArguments([{ path: 'fileIds', message: 'pass fileIds of the library, or text' }])
    return { files: before.files, content: before.content }
  }
  if (fileIds.length === 0 || fileIds.length > MAX_FILES) throw invalidArguments([{ path: 'fileIds', message: 'from 1 to 10 files' }])
  const files: FileInImportSetup[] = []
  for (const fileId of fileIds) files.push({ fileId, sha256: (await getLibraryFile(ctx, fileId)).sha256 })
  return { files, content: null }
}

/** Merges the caller's decisions about sheets, columns and values. A new decision replaces the earlier one about the same thing. */
function mergeAnswers(
  before: ImportSetupAnswers | undefined,
  { kinds = [], mapping = [], values = [], formats = {} }: ImportSetupRequest,
): ImportSetupAnswers {
  const low = (text: string) => text.trim().toLowerCase()
  const laid = <T>(old: readonly T[], fresh: readonly T[], key: (one: T) => string) => [
    ...new Map([...old, ...fresh].map((one) => [key(one), one])).values(),
  ]
  return {
    kinds: laid(before?.kinds ?? [], kinds, ({ sheet }) => low(sheet)),
    mapping: laid(before?.mapping ?? [], mapping, ({ sheet, column }) => `${low(sheet)}|${low(column)}`),
    values: laid(before?.values ?? [], values, ({ column, from }) => `${low(column)}|${low(from)}`),
    formats: { ...before?.formats, ...formats },
  }
}

function requireKnownColumns(
  config: Parameters<typeof listImportFields>[0],
  { kinds, mapping }: ImportSetupAnswers,
  sheets: readonly Sheet[],
): void {
  const names = sheets.map(({ name }) => name)
  const unknown = [...kinds, ...mapping].find(({ sheet }) => !names.some((name) => name.toLowerCase() === sheet.trim().toLowerCase()))
  if (unknown)
    throw invalidArguments([{ path: 'mapping', message: `no sheet ${JSON.stringify(unknown.sheet.slice(0, 60))}`, allowed: names }])
  const fields = listImportFields(config, 'participants').map(({ name }) => name)
  const isField = (field: string) =>
    field === 'ignore' || fields.includes(field) || (field.startsWith('new:') && CODE_PATTERN.test(field.slice(4)))
  for (const { name, header } of sheets) {
    checkColumnOverrides(
      mapping.filter(({ sheet }) => sheet.trim().toLowerCase() === name.toLowerCase()),
      header,
      isField,
      [...fields, 'ignore'],
    )
  }
}

/** Saves a proposed import setup. If the caller passes `save`, the missing configuration items are also added to the draft. */
export async function saveImportSetup(
  ctx: EventContext,
  request: ImportSetupRequest,
  prepared: PreparedImportSetup,
): Promise<ImportSetupRow> {
  const { before, files, content, answers, proposal, flowSlug, sourceSystem } = prepared
  if (sourceSystem === '')
    throw invalidArguments([
      { path: 'sourceSystem', message: 'is required for a new setup: a code for the system that the files come from' },
    ])
  const status = proposal.questions.length === 0 ? 'ready' : 'draft'
  const columns = {
    source_system: sourceSystem,
    files: JSON.stringify(files),
    content,
    answers: JSON.stringify(answers),
    proposal: JSON.stringify(proposal),
    flow_slug: flowSlug,
    status,
  } as const
  const row = before ? await changeSetup(ctx, before, columns) : await insertSetup(ctx, columns)
  if (request.save) {
    const edit = { tool: 'setup_import_flow', operations: { setupId: row.id } }
    await mergeIntoConfigDraft(ctx, edit, ({ config, facts }) =>
      toDraftConfigItems(findMissingConfigItems(config, { sheets: proposal.sheets, flowSlug, values: answers.values }), facts.currency),
    )
  }
  return row
}

type Columns = Parameters<typeof insertSetup>[1]

const digest = (parts: unknown) => hashCanonicalJson(parts).toString('hex')

async function changeSetup(ctx: EventContext, before: ImportSetupRow, columns: Columns): Promise<ImportSetupRow> {
  const { files, content, answers, flow_slug, source_system } = before
  const was = digest([files, content, answers, flow_slug, source_system])
  const is = digest([JSON.parse(columns.files), columns.content, JSON.parse(columns.answers), columns.flow_slug, columns.source_system])
  const moved = was !== is
  checkStateChange(IMPORT_SETUP_STATES, before, columns)
  const row = await eventDb(ctx)
    .updateTable('import_setups')
    .set({ ...columns, revision: before.revision + (moved ? 1 : 0), updated_at: sql`lanyard_now()` })
    .where('id', '=', before.id)
    .where('revision', '=', before.revision)
    .returningAll()
    .executeTakeFirst()
  if (!row) throw conflict('The setup was changed meanwhile. Call again.')
  if (moved)
    recordChange(ctx, {
      kind: 'import setup',
      id: row.id,
      before: { revision: before.revision },
      after: { revision: row.revision, status: row.status },
    })
  return row
}

interface SetupColumns {
  source_system: string
  files: string
  content: string | null
  answers: string
  proposal: string
  flow_slug: string
  status: 'draft' | 'ready'
}

async function insertSetup(ctx: EventContext, columns: SetupColumns): Promise<ImportSetupRow> {
  const row = await ctx.db
    .insertInto('import_setups')
    .values({ ...columns, tenant_id: ctx.tenantId, event_id: ctx.event.id, id: newId(), created_by: ctx.actor.id })
    .returningAll()
    .executeTakeFirstOrThrow()
  recordChange(ctx, { kind: 'import setup', id: row.id, after: { sourceSystem: columns.source_system, status: columns.status } })
  return row
}
