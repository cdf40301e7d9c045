import type { EventContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { JobRunContext } from '../../kernel/jobs.ts'
import { listParticipantDataFields } from '../configuration/data-fields.ts'
import {
  type DirectoryFactsByConnection,
  buildDirectoryOutcomeAnswerKey,
  buildLookupOutcomeAnswerKey,
} from '../configuration/flow/collected-answers.ts'
import { toPagePointer, toWidgetPointer } from '../configuration/flow/goals.ts'
import { fillInTestParticipant } from '../configuration/flow/test-participants.ts'
import { toPlannedTestParticipant, type PlannedTestParticipant } from '../configuration/flow/plan.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { hasUnsendableInputs, prepareDirectoryLookup, type PreparedQuery, requireLookupInputs } from '../directories/directory-query.ts'
import { mapLookupResult } from '../directories/bindings.ts'
import { type ConnectionRow, findConnection } from '../directories/connections.ts'
import type { DirectoryLookupInputs, DirectoryLookupOutcome } from '../directories/engine/spec.ts'
import type { RehearsalFinding } from './report-shape.ts'
import type { RehearsalContext } from './try-person.ts'

/** A test participant after lookups in real member directories. */
interface LookedUpPerson {
  rehearsing: RehearsalContext
  person: PlannedTestParticipant
  findings: RehearsalFinding[]
}

interface Lookup {
  binding: string
  connection: string
  path: string
  inputs: DirectoryLookupInputs
}

/**
 * Queries the real member directories of a flow about a test participant, and plans the participant's answers again with the results. Runs
 * outside of transactions; neither results nor failures are stored.
 */
export async function queryDirectoriesForPerson(
  job: JobRunContext<'event'>,
  rehearsing: RehearsalContext,
  person: PlannedTestParticipant,
  seed: number,
): Promise<LookedUpPerson> {
  const { snapshot, flow } = rehearsing
  const reading = {
    fields: listParticipantDataFields(snapshot.config),
    zone: snapshot.timezone,
    country: snapshot.config.details.venue?.country ?? null,
  }
  const outcomes: Record<string, DirectoryLookupOutcome> = {}
  const connections: Record<string, DirectoryFactsByConnection[string]> = { ...rehearsing.connections }
  const findings: RehearsalFinding[] = []
  for (const { binding, connection: code, path, inputs } of listLookups(flow, person)) {
    const prepared = await job.step((ctx: EventContext) => prepareLookup(ctx, code, inputs))
    const result = 'query' in prepared ? await runLookup(prepared, job) : prepared
    outcomes[binding] = result.outcome
    if (result.outcome === 'error') {
      const message = `the directory ${code} did not answer; the flow continues as its connection's failure policy says`
      findings.push({ code: 'R09', level: 'warning', path, personIndex: person.index, message, evidence: result.why ?? '' })
    }
    const facts = connections[code]
    if (facts && result.found) connections[code] = { ...facts, tags: mapLookupResult(result.found.row, result.found, reading).tags }
  }
  const answers = { ...person.answers, ...outcomes }
  const where = { timezone: snapshot.timezone, now: snapshot.at, connections }
  const filled = fillInTestParticipant(snapshot.config, flow, { seed, index: person.index, answers, tags: person.tags }, where)
  return { rehearsing: { ...rehearsing, connections }, person: { ...person, ...toPlannedTestParticipant(flow, filled) }, findings }
}

interface LookupAnswer {
  outcome: DirectoryLookupOutcome
  why?: string
  found?: { row: ConnectionRow; outcome: DirectoryLookupOutcome; record: unknown }
}

/** Prepares the lookup in a member directory. If no request can be sent, returns the outcome of the lookup instead. */
async function prepareLookup(
  ctx: EventContext,
  code: string,
  inputs: DirectoryLookupInputs,
): Promise<LookupAnswer | { query: PreparedQuery; row: ConnectionRow }> {
  const row = await findConnection(ctx, code)
  if (!row) return { outcome: 'error', why: `there is no connection ${code}` }
  if (row.status !== 'ready' && row.status !== 'failing') return { outcome: 'error', why: `the connection is ${row.status}` }
  try {
    requireLookupInputs(row, inputs)
  } catch (error) {
    if (error instanceof AppError) return { outcome: 'error', why: error.message }
    throw error
  }
  return hasUnsendableInputs(row, inputs) ? { outcome: 'notFound' } : { query: await prepareDirectoryLookup(ctx, row, inputs), row }
}

async function runLookup(
  { query, row }: { query: PreparedQuery; row: ConnectionRow },
  { fetcher }: JobRunContext<'event'>,
): Promise<LookupAnswer> {
  const { answer } = await query(fetcher)
  const { outcome, httpStatus } = answer
  if (outcome === 'found') return { outcome, found: { row, ...answer } }
  return { outcome, ...(outcome === 'error' && httpStatus !== null ? { why: `it answered ${httpStatus}` } : {}) }
}

/** Lists the lookups in member directories that the flow makes, with the values that this test participant enters. */
function listLookups(flow: Flow, { index, answers }: PlannedTestParticipant): Lookup[] {
  const text = (name: string) => {
    const value = answers[`@participant.${name}`]
    return typeof value === 'string' ? value : ''
  }
  const known = { email: text('email'), lastName: text('lastName'), postalCode: text('postalCode'), memberNumber: `REHEARSAL-${index}` }
  const widgets = flow.pages.flatMap((page) =>
    page.widgets.flatMap((widget): Lookup[] =>
      widget.type === 'membershipLookup'
        ? [
            {
              binding: buildLookupOutcomeAnswerKey(widget.id),
              connection: widget.connection,
              path: toWidgetPointer(flow, page.code, widget.id),
              inputs: Object.fromEntries(widget.inputs.map((input) => [input, known[input]])),
            },
          ]
        : [],
    ),
  )
  if (flow.directory === null) return widgets
  const own = {
    binding: buildDirectoryOutcomeAnswerKey(flow.directory),
    connection: flow.directory,
    path: toPagePointer(flow, flow.pages[0]?.code ?? ''),
  }
  return [...widgets, { ...own, inputs: { email: known.email } }]
}
