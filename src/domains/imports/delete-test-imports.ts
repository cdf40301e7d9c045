import { sql } from 'kysely'
import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { conflict, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { toPointer } from '../configuration/pointers.ts'
import { readDraftConfiguration } from '../configuration/read.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { deleteFile } from '../files/files.ts'
import { refreshQueryPlannerStatistics } from '../orders/statistics.ts'
import { removeImportedTestParticipants } from '../registration/remove-test-participants.ts'
import { lockEventRow } from '../tenancy/lock-event.ts'
import { failAbandonedImportRuns } from './claim.ts'
import { findImportRun, type ImportRunRow, listTestDataImportRuns } from './runs.ts'
import { findMissingConfigItems } from './setup-parts.ts'
import { getImportSetup } from './setups.ts'

/**
 * Deletes all records that test imports created. Configuration items that these imports added to the draft stay, and are returned as
 * `kept`.
 */
export async function deleteImportedTestData(ctx: EventContext, { runId }: { runId?: string | undefined }) {
  await lockEventRow(ctx)
  await failAbandonedImportRuns(ctx)
  const wanted = runId === undefined ? await listTestDataImportRuns(ctx) : [await getTestRun(ctx, runId)]
  const going = wanted.find(({ status }) => status === 'queued' || status === 'running')
  if (going) throw conflict(`Run ${going.id} is ${going.status}. Wait until it has ended.`)
  await refreshQueryPlannerStatistics(ctx)
  const ids = wanted.map(({ id }) => id)
  const participants = await listParticipantIds(ctx, ids)
  for (const id of participants) ctx.effects.add('deletes', `participant ${id}`, { participant: id })
  const rows = await sql`
    delete from import_rows where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and is_test_data and run_id = any(${ids}) returning run_id`.execute(
    ctx.db,
  )
  const money = await removeImportedTestParticipants(ctx, participants)
  const files = await deleteFiles(ctx, wanted)
  const touched = new Set((rows.rows as { run_id: string }[]).map(({ run_id }) => run_id))
  const deleted = { participants: participants.length, ...money, contacts: 0, files }
  if (touched.size > 0) recordChange(ctx, { kind: 'event', id: ctx.event.id, before: { testImports: [...touched] }, after: { deleted } })
  return { runs: touched.size, deleted, kept: { configItems: await listKeptConfigItems(ctx, wanted) } }
}

async function getTestRun(ctx: EventContext, runId: string): Promise<ImportRunRow> {
  const run = await findImportRun(ctx, runId)
  if (!run) throw notFound(`No import run ${runId} at this event`)
  if (run.mode === 'live') throw preconditionFailed(`run ${runId} is live; imported registrations are cancelled, not deleted`)
  return run
}

async function listParticipantIds({ db, tenantId, event }: EventContext, runs: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from participants where tenant_id = ${tenantId} and event_id = ${event.id} and is_test_data and import_run_id = any(${runs}) order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

async function deleteFiles(ctx: EventContext, runs: readonly ImportRunRow[]): Promise<number> {
  const files = runs.flatMap(({ error_file_id }) => error_file_id ?? [])
  for (const fileId of files) await deleteFile(ctx, { fileId })
  await sql`
    update import_runs set error_file_id = null where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and error_file_id = any(${files})`.execute(
    ctx.db,
  )
  return files.length
}

/** Lists the configuration items that the deleted test imports may have added and that are still in the draft. */
async function listKeptConfigItems(ctx: EventContext, runs: readonly ImportRunRow[]): Promise<string[]> {
  const { config } = await readDraftConfiguration(ctx)
  const paths = new Set<string>()
  for (const setupId of new Set(runs.map(({ setup_id }) => setup_id))) {
    const { proposal, flow_slug, answers } = await getImportSetup(ctx, setupId)
    const bare = { ...config, flows: [], customFields: [], products: [], tags: [] } as EventConfig
    const { flow, customFields, products, tags } = findMissingConfigItems(bare, {
      sheets: proposal.sheets,
      flowSlug: flow_slug,
      values: answers.values,
    })
    const add = (section: string, items: readonly { code: string }[], has: readonly { code: string }[]) => {
      for (const { code } of items) if (has.some((one) => one.code === code)) paths.add(toPointer([section, code]))
    }
    if (flow !== null && config.flows.some(({ slug }) => slug === flow)) paths.add(toPointer(['flows', flow]))
    add('customFields', customFields, config.customFields)
    add('products', products, config.products)
    add('tags', tags, config.tags)
  }
  return [...paths]
}
