import type { EventContext } from '../../kernel/context.ts'
import { recordChange } from '../../kernel/audit.ts'
import { canonicalJson } from '../../kernel/canonical.ts'
import { AppError, conflict, preconditionFailed } from '../../kernel/errors.ts'
import type { Reaching } from '../../kernel/tool.ts'
import { ask, refuseUnaskable } from './asking.ts'
import { mapFound } from './bindings.ts'
import { type ConnectionRow, getConnection, lockConnection, saveStatus } from './connections.ts'
import { credentialsNeededBy } from './credential-names.ts'
import { listCredentials } from './credentials.ts'
import { missingOf } from './describe.ts'
import type { Mapped } from './engine/mapping.ts'
import type { DirectoryAnswer, DirectoryInput, DirectoryInputs, DirectoryStep } from './engine/spec.ts'
import { sourcesOf } from './sources.ts'
import type { LastTest } from './tables.ts'
import { fillableAt } from './use-in-events.ts'

interface Test {
  connection: string
  inputs: Partial<Record<DirectoryInput, string | undefined>>
  expect?: 'found' | 'notFound' | undefined
  showValues?: boolean | undefined
}

const given = (inputs: Test['inputs']) =>
  Object.fromEntries(Object.entries(inputs).filter(([, value]) => value !== undefined)) as DirectoryInputs

/** The connection, when a test of it can be made at all. */
export async function getTestable(ctx: EventContext, { connection: named, inputs, showValues }: Test): Promise<ConnectionRow> {
  const row = await getConnection(ctx, named)
  if (showValues && !ctx.permissions.has('personal.read'))
    throw new AppError('forbidden', 'Forbidden — test_directory_connection requires the personal.read permission')
  const at = { connection: row.code }
  if (row.status === 'disabled') {
    throw preconditionFailed(`Directory connection ${row.code} is switched off and never called`, {
      fix: { tool: 'configure_directory_connection', arguments: { ...at, enabled: true }, here: true },
    })
  }
  const credentials = await listCredentials(ctx, row)
  const missing = missingOf({ ...row, status: 'ready' }, credentials)
  if (missing.length > 0) {
    const [unset] = credentialsNeededBy(row).filter((name) => !credentials.some((one) => one.name === name && one.set))
    throw preconditionFailed(
      `Directory connection ${row.code} cannot be tested yet — ${missing.join('; ')}`,
      unset === undefined ? {} : { fix: { ask: `for ${unset} of ${row.code}, and store it with set_directory_credential` } },
    )
  }
  refuseUnaskable(row, given(inputs))
  return row
}

interface Asked {
  connection: ConnectionRow
  answer: DirectoryAnswer
  /** Of the credentials it was asked with. */
  stamp: string
}

const stampOf = async (ctx: EventContext, row: ConnectionRow) =>
  canonicalJson((await listCredentials(ctx, row)).map(({ name, setAt }) => [name, setAt]))

/** Before the transaction: really asks, past the cache. */
export async function askForTest(ctx: Reaching<EventContext>, connection: ConnectionRow, { inputs }: Test): Promise<Asked> {
  const stamp = await stampOf(ctx, connection)
  const { answer } = await ask(ctx, connection, given(inputs))
  return { connection, answer, stamp }
}

/** Keeps how the test went. Only one of the connection as it now is can make it ready. */
export async function keepTest(ctx: EventContext, { connection: named, expect, showValues }: Test, { connection, answer, stamp }: Asked) {
  const row = await lockConnection(ctx, named)
  if (row.revision !== connection.revision || stamp !== (await stampOf(ctx, row)))
    throw conflict(`Directory connection ${row.code} was changed while it was tested: test it again`)
  const { fields, tags: known, country } = await fillableAt(ctx)
  const reading = mapFound(connection, answer, { fields, zone: ctx.event.timezone, country })
  const { mapped, tags, warnings } = reading
  const { outcome, httpStatus } = answer
  const steps = [...answer.steps, ...(outcome === 'found' ? [mapStep(reading)] : [])]
  const ok = steps.every((step) => step.ok) && outcome !== 'error' && (expect === undefined || outcome === expect)
  const status = await saveStatus(ctx, row, ok ? 'ready' : row.status)
  const lastTest = await saveTest(ctx, row, { ok, answer: { ...answer, steps } })
  recordChange(ctx, { kind: 'directory connection', id: row.id, before: { lastTest: row.last_test }, after: { lastTest } })
  return {
    ok,
    status,
    steps,
    outcome,
    httpStatus,
    mapped: mapped.map(({ value, ...field }) => (showValues && value !== null ? { ...field, value: shown(value) } : field)),
    tags,
    warnings: [
      ...(expect !== undefined && outcome !== expect && outcome !== 'error'
        ? [`Expected ${expect}, but the directory says ${outcome}`]
        : []),
      ...(outcome === 'many' ? ['Several people fit: a further input is needed to tell them apart, and nothing of them is shown'] : []),
      ...warnings,
      ...tags
        .filter((tag) => !known.includes(tag))
        .map((tag) => `The event has no tag ${tag}: add it to the configuration, or nobody is told apart by it`),
    ],
  }
}

/** Bindings that all lead nowhere are wrong; one that does may be empty for this person. */
function mapStep({ mapped, tags }: Mapped): DirectoryStep {
  const present = mapped.filter((field) => field.present).length
  const ok = mapped.length === 0 || present > 0
  const detail = ok ? `${present} of ${mapped.length} bound fields, ${tags.length} tags` : 'No binding leads to anything in the record'
  return { name: 'map', ok, ms: 0, detail }
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function saveTest(
  ctx: EventContext,
  row: ConnectionRow,
  { ok, answer }: { ok: boolean; answer: DirectoryAnswer },
): Promise<LastTest> {
  const { now } = await ctx.db.selectNoFrom((eb) => eb.fn<Date>('lanyard_now').as('now')).executeTakeFirstOrThrow()
  const lastTest: LastTest = { at: now.toISOString(), ok, outcome: answer.outcome, httpStatus: answer.httpStatus, steps: answer.steps }
  await ctx.db
    .updateTable('directory_connections')
    .set({
      last_test: JSON.stringify(lastTest),
      ...(ok && answer.outcome === 'found' ? { sources: JSON.stringify(sourcesOf(answer.record)) } : {}),
    })
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', row.id)
    .execute()
  return lastTest
}
