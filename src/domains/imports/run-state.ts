import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { collectErrorsByKind } from '../../kernel/error-kinds.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { splitIntoInsertBatches } from '../../kernel/insert-batches.ts'
import { eventDb, tenantDb } from '../../kernel/scoped-db.ts'
import { type Configuration, readDraftConfiguration, readLiveConfiguration } from '../configuration/read.ts'
import type { RecordNumberOrigin } from '../orders/numbers.ts'
import type { ImportedPurchase } from './read-person.ts'
import type { ImportReadingContext } from './reading.ts'
import type { ImportErrorRow, ImportRunCounts, ImportRunRow } from './runs.ts'
import { findMissingConfigItems } from './setup-parts.ts'
import type { ImportSetupRow } from './setups.ts'

/** State shared by all batches of an import run. */
export interface ImportRunState {
  run: ImportRunRow
  setup: ImportSetupRow
  rules: ImportReadingContext
  versionId: string | null
  flowSlug: string
  isTest: boolean
  origin: RecordNumberOrigin
  terms: { startsOn: string; paymentTermsDays: number }
  now: Date
  /** Order lines that were read from separate sheets, by the key that identifies their person in the source system. */
  lines: Map<string, ImportedPurchase[]>
  /** Normalized names and emails that a dry run has given to new and changed people so far, to detect duplicates. */
  planned: Set<string>
  /** Ids of participants whose former name and email are free, because a dry run has changed them. */
  renamed: Set<string>
  /** Keys (from the source system) of the people found in a dry run. */
  present: Set<string>
  /** Keys (from the source system) of the people in a dry run whom an earlier run has already imported. */
  seen: Set<string>
  counts: ImportRunCounts
}

/**
 * Loads the configuration that an import run uses: the draft for test runs and for dry runs before the first publication, otherwise the
 * live (published) version.
 */
async function readRunConfiguration(ctx: EventContext, usesDraft: boolean): Promise<Configuration> {
  const draft = await readDraftConfiguration(ctx)
  if (usesDraft) return draft
  const live = await readLiveConfiguration(ctx, draft)
  if (live) return live
  throw preconditionFailed(`${ctx.event.code} is not published yet. Pass publish: true to publish its draft first.`)
}

export async function loadImportRunState(ctx: EventContext, run: ImportRunRow, setup: ImportSetupRow): Promise<ImportRunState> {
  const { config, facts, versionId } = await readRunConfiguration(ctx, run.options.usesDraft)
  const { sheets } = setup.proposal
  requireConfigItems(
    findMissingConfigItems(config, { sheets, flowSlug: setup.flow_slug, values: setup.answers.values }),
    run.options.usesDraft,
  )
  const client = await tenantDb(ctx)
    .selectFrom('clients')
    .select('payment_terms_days')
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  const fields = new Set(
    sheets
      .filter(({ kind }) => kind === 'participants' || kind === 'orderLines')
      .flatMap(({ columns }) => columns.map(({ field }) => field)),
  )
  const isTest = run.mode === 'test'
  return {
    run,
    setup,
    rules: {
      config,
      timezone: setup.answers.formats.timezone ?? facts.timezone,
      currency: facts.currency,
      values: setup.answers.values,
      linesGiven: fields.has('amountDue') || fields.has('amountPaid') || fields.has('productName'),
    },
    versionId,
    flowSlug: setup.flow_slug,
    isTest,
    origin: isTest ? 'test' : 'import',
    terms: { startsOn: facts.startsOn, paymentTermsDays: client.payment_terms_days },
    now: facts.now,
    lines: new Map(),
    planned: new Set(),
    renamed: new Set(),
    present: new Set(),
    seen: new Set(),
    counts: run.counts,
  }
}

function requireConfigItems({ flow, customFields, products, tags }: ReturnType<typeof findMissingConfigItems>, usesDraft: boolean): void {
  const missing = [...(flow === null ? [] : [flow]), ...[...customFields, ...products, ...tags].map(({ code }) => code)]
  if (missing.length === 0) return
  const what =
    missing.length === 1
      ? `${missing[0]} is`
      : `${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''} are`
  throw preconditionFailed(
    usesDraft
      ? `${what} not in the draft yet. Call setup_import_flow with save: true.`
      : `${what} not in the live version yet. Save the setup, then pass publish: true.`,
  )
}

/** The names and emails that a batch gives to people. */
export interface PlannedIdentities {
  /** Normalized names and emails of the new and the changed people. */
  taken: readonly string[]
  /** Ids of participants whose former name and email are free. */
  renamed: readonly string[]
}

/** Remembers what a batch of a dry run would have written, because later batches do not find it in the database. */
export function rememberPlannedIdentities(state: ImportRunState, { taken, renamed }: PlannedIdentities): void {
  if (!state.run.dry_run) return
  for (const one of taken) state.planned.add(one)
  for (const id of renamed) state.renamed.add(id)
}

/** Sums the ordered and paid amounts of all imported orders so far. */
export async function sumImportedOrderAmounts({ db, tenantId, event }: Pick<EventContext, 'db' | 'tenantId' | 'event'>, isTest: boolean) {
  const { rows } = await sql<{ ordered: number; paid: number }>`
    select coalesce(sum(o.total), 0)::bigint as ordered, coalesce(sum(o.paid), 0)::bigint as paid
    from orders o join participants p on p.tenant_id = o.tenant_id and p.event_id = o.event_id and p.id = o.participant_id
    where o.tenant_id = ${tenantId} and o.event_id = ${event.id} and o.is_test_data = ${isTest} and p.source = 'import'`.execute(db)
  return rows[0]!
}

/** Stores all errors for the error file, and groups them for the result. */
export async function saveRowErrors(
  { db, tenantId, event }: Pick<EventContext, 'db' | 'tenantId' | 'event'>,
  { run }: ImportRunState,
  counts: ImportRunCounts,
  errors: readonly ImportErrorRow[],
): Promise<void> {
  if (errors.length === 0) return
  const first = counts.noted
  counts.noted += errors.length
  collectErrorsByKind({ kinds: (counts.errorKinds ??= []), shown: counts.errorRows }, errors)
  const rows = errors.map(({ sheet, row, column, value, code, message }, index) => ({
    tenant_id: tenantId,
    event_id: event.id,
    run_id: run.id,
    position: first + index,
    sheet,
    row_number: row,
    column_name: column,
    value,
    code,
    message,
  }))
  for (const part of splitIntoInsertBatches(rows)) await db.insertInto('import_errors').values(part).execute()
}

/** Deletes the stored row errors of an import run before it restarts from the first row. */
export async function deleteRowErrors(ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>, runId: string): Promise<void> {
  await eventDb(ctx).deleteFrom('import_errors').where('run_id', '=', runId).execute()
}
