import type { EventContext } from '../../kernel/context.ts'
import { recordChange } from '../../kernel/audit.ts'
import { toCanonicalJson } from '../../kernel/canonical.ts'
import { AppError, conflict, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { PrefetchContext } from '../../kernel/tool.ts'
import { runDirectoryQuery, requireLookupInputs } from './directory-query.ts'
import { mapLookupResult } from './bindings.ts'
import { type ConnectionRow, getConnection, lockConnection, saveConnectionStatus } from './connections.ts'
import { listRequiredCredentials } from './credential-names.ts'
import { listCredentials } from './credentials.ts'
import { listMissingConfiguration } from './describe.ts'
import type { MappingResult } from './engine/mapping.ts'
import type { DirectoryLookupResult, DirectoryLookupInput, DirectoryLookupInputs, DirectoryCallStep } from './engine/spec.ts'
import { listRecordValuePaths } from './sources.ts'
import type { LastConnectionTest } from './tables.ts'
import { readFieldsFilledByDirectory } from './connection-uses.ts'

interface ConnectionTest {
  connection: string
  inputs: Partial<Record<DirectoryLookupInput, string | undefined>>
  expect?: 'found' | 'notFound' | undefined
  showValues?: boolean | undefined
}

const dropUndefined = (inputs: ConnectionTest['inputs']) =>
  Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined)) as DirectoryLookupInputs

/** Returns the connection to test. Throws if it is disabled or not completely configured. */
export async function getTestableConnection(
  ctx: EventContext,
  { connection: named, inputs, showValues }: ConnectionTest,
): Promise<ConnectionRow> {
  const row = await getConnection(ctx, named)
  if (showValues && !ctx.permissions.has('personal.read'))
    throw new AppError('forbidden', 'Forbidden — test_directory_connection requires the personal.read permission')
  const at = { connection: row.code }
  if (row.status === 'disabled') {
    throw preconditionFailed(`Directory connection ${row.code} is disabled and cannot be tested`, {
      fix: { tool: 'configure_directory_connection', arguments: { ...at, enabled: true }, here: true },
    })
  }
  const credentials = await listCredentials(ctx, row)
  const missing = listMissingConfiguration({ ...row, status: 'ready' }, credentials)
  if (missing.length > 0) {
    const [unset] = listRequiredCredentials(row).filter((name) => !credentials.some((one) => one.name === name && one.set))
    throw preconditionFailed(
      `Directory connection ${row.code} cannot be tested yet — ${missing.join('; ')}`,
      unset === undefined ? {} : { fix: { ask: `for ${unset} of ${row.code}, and store it with set_directory_credential` } },
    )
  }
  requireLookupInputs(row, dropUndefined(inputs))
  return row
}

interface TestAnswer {
  connection: ConnectionRow
  answer: DirectoryLookupResult
  /** Identifies the credentials with which the test request was sent, to detect whether they changed during the test. */
  stamp: string
}

const credentialStampOf = async (ctx: EventContext, row: ConnectionRow) =>
  toCanonicalJson((await listCredentials(ctx, row)).map(({ name, setAt }) => [name, setAt]))

/** Sends the test lookup. Runs before the transaction and bypasses the cache. */
export async function sendTestLookup(
  ctx: PrefetchContext<EventContext>,
  connection: ConnectionRow,
  { inputs }: ConnectionTest,
): Promise<TestAnswer> {
  const stamp = await credentialStampOf(ctx, connection)
  const { answer } = await runDirectoryQuery(ctx, connection, dropUndefined(inputs))
  return { connection, answer, stamp }
}

/** Saves the result of a connection test. The connection becomes ready only if it did not change during the test. */
export async function saveTestResult(
  ctx: EventContext,
  { connection: named, expect, showValues }: ConnectionTest,
  { connection, answer, stamp }: TestAnswer,
) {
  const row = await lockConnection(ctx, named)
  if (row.revision !== connection.revision || stamp !== (await credentialStampOf(ctx, row)))
    throw conflict(`Directory connection ${row.code} was changed during the test. Test it again.`)
  const { fields, tags: known, country } = await readFieldsFilledByDirectory(ctx)
  const reading = mapLookupResult(connection, answer, { fields, zone: ctx.event.timezone, country })
  const { mapped, tags, warnings } = reading
  const { outcome, httpStatus } = answer
  const steps = [...answer.steps, ...(outcome === 'found' ? [buildMapStep(reading)] : [])]
  const ok = steps.every((step) => step.ok) && outcome !== 'error' && (expect === undefined || outcome === expect)
  const status = await saveConnectionStatus(ctx, row, ok ? 'ready' : row.status)
  const lastTest = await saveLastTest(ctx, row, { ok, answer: { ...answer, steps } })
  recordChange(ctx, { kind: 'directory connection', id: row.id, before: { lastTest: row.last_test }, after: { lastTest } })
  return {
    ok,
    status,
    steps,
    outcome,
    httpStatus,
    mapped: mapped.map(({ value, ...field }) => (showValues && value !== null ? { ...field, value: formatValue(value) } : field)),
    tags,
    warnings: [
      ...(expect !== undefined && outcome !== expect && outcome !== 'error'
        ? [`Expected ${expect}, but the directory returned ${outcome}`]
        : []),
      ...(outcome === 'many' ? ['Several people match. Add another input to distinguish them; no data about them is shown.'] : []),
      ...warnings,
      ...tags
        .filter((tag) => !known.includes(tag))
        .map((tag) => `The event has no tag ${tag}. Add it to the configuration, otherwise it has no effect.`),
    ],
  }
}

/**
 * Checks the field mapping as the last step of a connection test. Some fields may be empty for the person looked up, but if all are empty,
 * the mapping is wrong.
 */
function buildMapStep({ mapped, tags }: MappingResult): DirectoryCallStep {
  const present = mapped.filter((field) => field.present).length
  const ok = mapped.length === 0 || present > 0
  const detail = ok ? `${present} of ${mapped.length} bound fields, ${tags.length} tags` : 'No binding matches anything in the record'
  return { name: 'map', ok, ms: 0, detail }
}

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function saveLastTest(
  ctx: EventContext,
  row: ConnectionRow,
  { ok, answer }: { ok: boolean; answer: DirectoryLookupResult },
): Promise<LastConnectionTest> {
  const { now } = await ctx.db.selectNoFrom((eb) => eb.fn<Date>('lanyard_now').as('now')).executeTakeFirstOrThrow()
  const lastTest: LastConnectionTest = {
    at: now.toISOString(),
    ok,
    outcome: answer.outcome,
    httpStatus: answer.httpStatus,
    steps: answer.steps,
  }
  await eventDb(ctx)
    .updateTable('directory_connections')
    .set({
      last_test: JSON.stringify(lastTest),
      ...(ok && answer.outcome === 'found' ? { sources: JSON.stringify(listRecordValuePaths(answer.record)) } : {}),
    })
    .where('id', '=', row.id)
    .execute()
  return lastTest
}
