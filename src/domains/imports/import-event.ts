import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, conflict, preconditionFailed } from '../../kernel/errors.ts'
import { enqueueJob } from '../../kernel/jobs.ts'
import type { FileStore } from '../../kernel/ports.ts'
import { publishEvent } from '../authoring/publish.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { lockEventRow } from '../tenancy/lock-event.ts'
import { failAbandonedImportRuns, requireNoRunningImport } from './claim.ts'
import { runImportJob, writeImportErrorsJob } from './import-jobs.ts'
import { type ImportedSheet, importSheets } from './import-sheets.ts'
import { countParticipantsNotInFile } from './known-rows.ts'
import { rememberPlannedIdentities, sumImportedOrderAmounts, loadImportRunState } from './run-state.ts'
import {
  findImportRun,
  insertImportRun,
  findActiveLiveRun,
  updateImportRun,
  type ImportRunCounts,
  type ImportRunOptions,
  type ImportRunRow,
  listRunsOfImportSetup,
  toImportRunResult,
} from './runs.ts'
import { getImportSetup, openImportSetupSheets, type ImportSetupRow } from './setups.ts'

export interface ImportRequest {
  setupId: string
  mode: 'test' | 'live'
  withPayments: boolean
  onRowError: 'skip' | 'stop'
  updateExisting: boolean
  publish: boolean
  dryRun?: boolean | undefined
}

/** Maximum number of rows that are imported within the tool call; larger imports run as a background job. */
const MAX_SYNCHRONOUS_ROWS = 2000

/** Time limit of an import within the call, after which a job continues it. The database rolls a transaction back after 20 seconds. */
const MAX_SYNCHRONOUS_MS = 10_000

interface ImportContent {
  /** The rows to import, by sheet name; null if there are too many to import within the tool call. */
  rows: ReadonlyMap<string, readonly SheetRow[]> | null
  /** The import run of a large dry run, which a background job continues after the call; null for any other import. */
  started: ImportRunRow | null
}

/** Reads the rows of a small import, or starts the job of a large dry run. Called before the database transaction begins. */
export async function readImportRowsOrStartJob(ctx: EventContext & { files: FileStore }, request: ImportRequest): Promise<ImportContent> {
  const setup = await getImportSetup(ctx, request.setupId)
  requireImportable(ctx, setup, request)
  const total = setup.proposal.sheets.filter(({ kind }) => kind !== 'ignore').reduce((sum, { rows }) => sum + rows, 0)
  if (total > MAX_SYNCHRONOUS_ROWS) return { rows: null, started: request.dryRun ? await startDryRun(ctx, setup, request) : null }
  const rows = new Map<string, SheetRow[]>()
  for (const sheet of await openImportSetupSheets(ctx, setup)) {
    const all: SheetRow[] = []
    for await (const row of sheet.rows()) all.push(row)
    rows.set(sheet.name, all)
  }
  return { rows, started: null }
}

function requireImportable(ctx: EventContext, setup: ImportSetupRow, { withPayments, publish }: ImportRequest): void {
  const open = setup.proposal.questions.length
  if (open > 0) {
    throw preconditionFailed(`The setup is not ready: ${open === 1 ? '1 question' : `${open} questions`} open`, {
      fix: { tool: 'setup_import_flow', arguments: { setupId: setup.id }, here: true },
    })
  }
  if (ctx.event.status === 'archived') throw preconditionFailed(`${ctx.event.name} is archived and can no longer be changed`)
  if (withPayments && !ctx.permissions.has('money.write'))
    throw new AppError('forbidden', 'Forbidden — import_event requires the money.write permission')
  if (publish && !ctx.permissions.has('events.publish'))
    throw new AppError('forbidden', 'Forbidden — import_event requires the events.publish permission')
  const { currency } = setup.answers.formats
  if (withPayments && currency !== undefined && currency !== ctx.event.currency) {
    throw preconditionFailed(
      `The payments are in ${currency} and the event is in ${ctx.event.currency}. Import without payments, or into an event in ${currency}.`,
    )
  }
}

const toRunOptions = ({ mode, withPayments, onRowError, updateExisting, publish, dryRun }: ImportRequest): ImportRunOptions => ({
  withPayments,
  onRowError,
  updateExisting,
  usesDraft: mode === 'test' || (publish && dryRun === true),
})

async function startDryRun(ctx: EventContext, setup: ImportSetupRow, request: ImportRequest): Promise<ImportRunRow> {
  await requireNoRunningImport(ctx)
  const run = await insertImportRun(ctx, { setup, mode: request.mode, dryRun: true, options: toRunOptions(request) })
  await loadImportRunState(ctx, run, setup)
  const { jobId } = await enqueueJob(ctx, runImportJob, { runId: run.id }, { eventId: ctx.event.id })
  await updateImportRun(ctx, run.id, { jobId })
  return { ...run, job_id: jobId }
}

/**
 * Imports registrations, orders and payments of another system. Small imports run in this transaction, large ones as a background job. A
 * small import that turns out to be slow keeps the batches it has written and continues as a background job.
 */
export async function importEvent(
  ctx: EventContext,
  request: ImportRequest,
  content: ImportContent,
  { maxMs = MAX_SYNCHRONOUS_MS }: { maxMs?: number } = {},
) {
  const before = await getImportSetup(ctx, request.setupId)
  requireImportable(ctx, before, request)
  const key = `import ${before.id} at revision ${before.revision} as ${request.mode}`
  if (content.started) {
    ctx.effects.add('changes', key, { setup: before.id, mode: request.mode })
    return { ...toImportRunResult(content.started, ctx.event.currency), jobId: content.started.job_id! }
  }
  await lockEventRow(ctx)
  if (request.publish) await publishEvent(ctx, { acceptWarnings: true, note: 'For imported registrations' })
  const setup = await getImportSetup(ctx, request.setupId)
  await failAbandonedImportRuns(ctx)
  if (request.mode === 'live') {
    await requireNoLiveRun(ctx)
    if (content.rows === null) await requireFinishedDryRun(ctx, setup)
  }
  await requireNoRunningImport(ctx)
  const run = await insertImportRun(ctx, {
    setup,
    mode: request.mode,
    dryRun: request.dryRun === true && content.rows !== null,
    options: { ...toRunOptions(request), usesDraft: request.mode === 'test' },
  })
  recordChange(ctx, {
    kind: 'import run',
    id: run.id,
    after: { setupId: setup.id, setupRevision: setup.revision, mode: run.mode },
  })
  if (content.rows === null) {
    ctx.effects.add('changes', key, { setup: setup.id, mode: request.mode })
    const { jobId } = await enqueueJob(ctx, runImportJob, { runId: run.id }, { eventId: ctx.event.id })
    await updateImportRun(ctx, run.id, { jobId })
    return { ...toImportRunResult(run, ctx.event.currency), jobId }
  }
  const { planned, ...done } = await runSynchronously(ctx, run, setup, content.rows, maxMs)
  const { created, updated, duplicates, errors, payments } = planned
  ctx.effects.add('changes', `${key}: ${created} ${updated} ${duplicates} ${errors} ${payments.created} ${payments.amount}`, {
    setup: setup.id,
    mode: request.mode,
    created,
    updated,
    payments: payments.created,
  })
  return { ...toImportRunResult(done.run, ctx.event.currency), ...(done.jobId === null ? {} : { jobId: done.jobId }) }
}

async function requireNoLiveRun(ctx: EventContext): Promise<void> {
  const going = await findActiveLiveRun(ctx)
  if (going) throw conflict(`A live import of ${ctx.event.code} is already running: run ${going.id}. Wait until it has ended.`)
}

/** Throws if the dry run of the same setup revision is still queued or running, or has failed. */
async function requireFinishedDryRun(ctx: EventContext, setup: ImportSetupRow): Promise<void> {
  const tried = (await listRunsOfImportSetup(ctx, setup.id)).find((run) => run.dry_run && run.setup_revision === setup.revision)
  if (tried && tried.status !== 'done')
    throw preconditionFailed(
      `The dry run of this setup is ${tried.status}. Wait until it is done, then read its result with setup_import_flow.`,
    )
}

interface SynchronousRun {
  run: ImportRunRow
  /** Id of the job that imports the remaining rows; null if none remain. */
  jobId: string | null
  /** The counts, such as new records, for the whole file. They must match those of the dry run that issued the confirm token. */
  planned: ImportRunCounts
}

/**
 * Imports batch by batch within the tool call. Before a batch that would exceed `maxMs`, the import stops: the remaining rows are only
 * counted, and a background job imports them.
 */
async function runSynchronously(
  ctx: EventContext,
  run: ImportRunRow,
  setup: ImportSetupRow,
  rows: ReadonlyMap<string, readonly SheetRow[]>,
  maxMs: number,
): Promise<SynchronousRun> {
  const state = await loadImportRunState(ctx, run, setup)
  state.counts.money = await sumImportedOrderAmounts(ctx, state.isTest)
  const sheets = setup.proposal.sheets.map((sheet): ImportedSheet => ({ ...sheet, read: () => rows.get(sheet.name) ?? [] }))
  const started = performance.now()
  let [slowest, written]: [number, ImportRunCounts | null] = [0, null]
  const stopped = await importSheets(state, sheets, async (batch) => {
    const begun = performance.now()
    const isLate = slowest > 0 && begun - started + slowest > maxMs
    if (isLate && written === null && !run.dry_run) {
      written = state.counts
      state.run = { ...run, dry_run: true }
      await sql`savepoint counting`.execute(ctx.db)
    }
    const { counts, identities } = await batch(ctx)
    state.counts = counts
    rememberPlannedIdentities(state, identities)
    slowest = Math.max(slowest, performance.now() - begun)
  })
  const planned = state.counts
  if (written !== null) {
    await sql`rollback to savepoint counting`.execute(ctx.db)
    const { jobId } = await enqueueJob(ctx, runImportJob, { runId: run.id }, { eventId: ctx.event.id })
    await updateImportRun(ctx, run.id, { status: 'running', jobId })
    return { run: { ...run, status: 'running', counts: written }, jobId, planned }
  }
  const counts = { ...planned, notInFile: await countParticipantsNotInFile(ctx, state), ...(stopped === null ? {} : { stopped }) }
  const status = stopped === null ? 'done' : 'failed'
  await updateImportRun(ctx, run.id, { status, counts, finished: true })
  if (counts.noted > 0) await enqueueJob(ctx, writeImportErrorsJob, { runId: run.id }, { eventId: ctx.event.id })
  return { run: { ...(await findImportRun(ctx, run.id))!, counts, status }, jobId: null, planned }
}
