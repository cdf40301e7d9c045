import { type Selectable, sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import type { ErrorKind } from '../../kernel/error-kinds.ts'
import { newId } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { formatInstant } from '../../kernel/time.ts'
import type { ImportSheetKind } from './fields.ts'
import type { ImportSetupRow } from './setups.ts'
import type { ImportRunsTable } from './tables.ts'
import { changeStateOfRows } from '../../kernel/states.ts'
import { IMPORT_RUN_STATES } from './states.ts'

export interface ImportRunOptions {
  withPayments: boolean
  onRowError: 'skip' | 'stop'
  updateExisting: boolean
  /** Whether rows are validated against the draft or the live version. */
  usesDraft: boolean
}

export interface ImportErrorRow {
  sheet: string
  row: number
  column: string
  value: string
  code: string
  message: string
}

export interface LocallyEditedField {
  sheet: string
  row: number
  participantId: string
  field: string
}

/** Counts of an import run so far. Amounts are in minor units. */
export interface ImportRunCounts {
  rows: number
  created: number
  updated: number
  unchanged: number
  duplicates: number
  errors: number
  payments: { rows: number; created: number; unchanged: number; duplicates: number; orphans: number; errors: number; amount: number }
  errorRows: ImportErrorRow[]
  /** Errors grouped by kind; undefined if an earlier version of Lanyard stored the run. */
  errorKinds?: ErrorKind<Omit<ImportErrorRow, 'row' | 'value'>>[]
  /** Number of recorded errors; a row may have several. */
  noted: number
  localEdits: LocallyEditedField[]
  localEditCount: number
  notInFile: number
  money: { ordered: number; paid: number }
  /** Reason why the run ended before its last row. */
  stopped?: string
}

export const createImportRunCounts = (): ImportRunCounts => ({
  rows: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  duplicates: 0,
  errors: 0,
  payments: { rows: 0, created: 0, unchanged: 0, duplicates: 0, orphans: 0, errors: 0, amount: 0 },
  errorRows: [],
  errorKinds: [],
  noted: 0,
  localEdits: [],
  localEditCount: 0,
  notInFile: 0,
  money: { ordered: 0, paid: 0 },
})

export type ImportRunRow = Selectable<ImportRunsTable>
type EventScope = Pick<EventContext, 'db' | 'tenantId' | 'event'>

export async function insertImportRun(
  ctx: EventScope & Pick<EventContext, 'actor'>,
  { setup, mode, dryRun, options }: { setup: ImportSetupRow; mode: 'test' | 'live'; dryRun: boolean; options: ImportRunOptions },
): Promise<ImportRunRow> {
  return ctx.db
    .insertInto('import_runs')
    .values({
      tenant_id: ctx.tenantId,
      event_id: ctx.event.id,
      id: newId(),
      setup_id: setup.id,
      setup_revision: setup.revision,
      mode,
      dry_run: dryRun,
      options: JSON.stringify(options),
      status: 'queued',
      counts: JSON.stringify(createImportRunCounts()),
      created_by: ctx.actor.id,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const selectRuns = (ctx: EventScope) => eventDb(ctx).selectFrom('import_runs').selectAll()

export const findImportRun = async (ctx: EventScope, id: string): Promise<ImportRunRow | null> =>
  (await selectRuns(ctx).where('id', '=', id).executeTakeFirst()) ?? null

export const findActiveLiveRun = async (ctx: EventScope): Promise<ImportRunRow | null> =>
  (await selectRuns(ctx)
    .where('mode', '=', 'live')
    .where('dry_run', '=', false)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()) ?? null

export const listRunsOfImportSetup = (ctx: EventScope, setupId: string): Promise<ImportRunRow[]> =>
  selectRuns(ctx).where('setup_id', '=', setupId).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(20).execute()

export const listTestDataImportRuns = (ctx: EventScope): Promise<ImportRunRow[]> =>
  selectRuns(ctx).where('mode', '=', 'test').where('dry_run', '=', false).orderBy('id').execute()

interface Progress {
  status?: ImportRunRow['status']
  position?: { sheet: string; row: number }
  counts?: ImportRunCounts
  jobId?: string
  errorFileId?: string
  finished?: boolean
}

export async function updateImportRun(
  ctx: EventScope,
  id: string,
  { status, position, counts, jobId, errorFileId, finished }: Progress,
): Promise<void> {
  // A restarted job sets the import run to `running` a second time, which has no effect.
  if (status) await changeStateOfRows(eventDb(ctx), IMPORT_RUN_STATES, status).where('id', '=', id).execute()
  const columns = {
    ...(position ? { position: JSON.stringify(position) } : {}),
    ...(counts ? { counts: JSON.stringify(counts) } : {}),
    ...(jobId ? { job_id: jobId } : {}),
    ...(errorFileId ? { error_file_id: errorFileId } : {}),
    ...(finished ? { finished_at: sql<Date>`lanyard_now()` } : {}),
  }
  if (Object.keys(columns).length > 0) await eventDb(ctx).updateTable('import_runs').set(columns).where('id', '=', id).execute()
}

/** Converts the counts of a run to a tool result. */
export function toImportRunResult({ id, status, counts }: Pick<ImportRunRow, 'id' | 'status' | 'counts'>, currency: string) {
  const { payments, errorRows, errorKinds, localEdits, localEditCount, money, noted: _noted, ...figures } = counts
  return {
    runId: id,
    status,
    ...figures,
    payments: { ...payments, amount: toMoney(payments.amount, currency) },
    errorKinds: errorKinds ?? [],
    errorRows,
    localEdits,
    localEditCount,
    money: {
      ordered: toMoney(money.ordered, currency),
      paid: toMoney(money.paid, currency),
      balance: toMoney(money.ordered - money.paid, currency),
    },
  }
}

/**
 * Returns how many rows of people and payments an import run has read so far, and how many there are. Null if the import setup has changed
 * since.
 */
export function findImportProgress(
  { counts, status, options, setup_revision }: ImportRunRow,
  setup: ImportSetupRow,
): { done: number; total: number } | null {
  if (setup_revision !== setup.revision) return null
  const count = (kind: ImportSheetKind) =>
    setup.proposal.sheets.filter((sheet) => sheet.kind === kind).reduce((sum, { rows }) => sum + rows, 0)
  const payments = options.withPayments ? count('payments') : 0
  const total = count('participants') + payments
  const read = Math.min(counts.rows, count('participants')) + Math.min(counts.payments.rows, payments)
  return { done: status === 'done' ? total : read, total }
}

export const toImportRunSummary = (run: ImportRunRow, currency: string, errorFile: string | undefined) => ({
  ...toImportRunResult(run, currency),
  mode: run.mode,
  dryRun: run.dry_run,
  setupRevision: run.setup_revision,
  createdAt: formatInstant(run.created_at),
  ...(run.finished_at ? { finishedAt: formatInstant(run.finished_at) } : {}),
  ...(run.position ? { position: run.position } : {}),
  ...(run.job_id === null ? {} : { jobId: run.job_id }),
  ...(errorFile === undefined ? {} : { errorFile }),
})
