import type { EventContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { JobRun } from '../../kernel/jobs.ts'
import { dataFieldsOf } from '../configuration/data-fields.ts'
import { type Connections, directoryBinding, lookupBinding } from '../configuration/flow/collects.ts'
import { pagePath, widgetPath } from '../configuration/flow/goals.ts'
import { fillPerson } from '../configuration/flow/people.ts'
import { asPlanned, type Person } from '../configuration/flow/plan.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { isNobodys, prepareQuestion, type Question, refuseUnaskable } from '../directories/asking.ts'
import { mapFound } from '../directories/bindings.ts'
import { type ConnectionRow, findConnection } from '../directories/connections.ts'
import type { DirectoryInputs, DirectoryOutcome } from '../directories/engine/spec.ts'
import type { RehearsalFinding } from './report-shape.ts'
import type { Rehearsing } from './try-person.ts'

/** Somebody made up, as they are once real directories have answered about them. */
interface Asked {
  rehearsing: Rehearsing
  person: Person
  findings: RehearsalFinding[]
}

interface Lookup {
  binding: string
  connection: string
  path: string
  inputs: DirectoryInputs
}

/**
 * Really asks the directories of a flow about somebody made up, and goes on with what they say in the place of what was planned. They are
 * asked outside of any transaction, and nothing of it is kept: no answer, no outage.
 */
export async function askDirectories(job: JobRun<'event'>, rehearsing: Rehearsing, person: Person, seed: number): Promise<Asked> {
  const { scene, flow } = rehearsing
  const reading = { fields: dataFieldsOf(scene.config), zone: scene.timezone, country: scene.config.details.venue?.country ?? null }
  const outcomes: Record<string, DirectoryOutcome> = {}
  const connections: Record<string, Connections[string]> = { ...rehearsing.connections }
  const findings: RehearsalFinding[] = []
  for (const { binding, connection: code, path, inputs } of lookupsIn(flow, person)) {
    const prepared = await job.step((ctx: EventContext) => prepare(ctx, code, inputs))
    const said = 'question' in prepared ? await answered(prepared, job) : prepared
    outcomes[binding] = said.outcome
    if (said.outcome === 'error') {
      const message = `the directory ${code} gave no answer: people go on as its connection says`
      findings.push({ code: 'R09', level: 'warning', path, personIndex: person.index, message, evidence: said.why ?? '' })
    }
    const facts = connections[code]
    if (facts && said.found) connections[code] = { ...facts, tags: mapFound(said.found.row, said.found, reading).tags }
  }
  const answers = { ...person.answers, ...outcomes }
  const where = { timezone: scene.timezone, now: scene.at, connections }
  const filled = fillPerson(scene.config, flow, { seed, index: person.index, answers, tags: person.tags }, where)
  return { rehearsing: { ...rehearsing, connections }, person: { ...person, ...asPlanned(flow, filled) }, findings }
}

interface Said {
  outcome: DirectoryOutcome
  why?: string
  found?: { row: ConnectionRow; outcome: DirectoryOutcome; record: unknown }
}

/** What cannot be asked is said at once. */
async function prepare(
  ctx: EventContext,
  code: string,
  inputs: DirectoryInputs,
): Promise<Said | { question: Question; row: ConnectionRow }> {
  const row = await findConnection(ctx, code)
  if (!row) return { outcome: 'error', why: `there is no connection ${code}` }
  if (row.status !== 'ready' && row.status !== 'failing') return { outcome: 'error', why: `the connection is ${row.status}` }
  try {
    refuseUnaskable(row, inputs)
  } catch (error) {
    if (error instanceof AppError) return { outcome: 'error', why: error.message }
    throw error
  }
  return isNobodys(row, inputs) ? { outcome: 'notFound' } : { question: await prepareQuestion(ctx, row, inputs), row }
}

async function answered({ question, row }: { question: Question; row: ConnectionRow }, { fetcher }: JobRun<'event'>): Promise<Said> {
  const { answer } = await question(fetcher)
  const { outcome, httpStatus } = answer
  if (outcome === 'found') return { outcome, found: { row, ...answer } }
  return { outcome, ...(outcome === 'error' && httpStatus !== null ? { why: `it answered ${httpStatus}` } : {}) }
}

/** Every lookup of the flow, with what this person would be looked up by. */
function lookupsIn(flow: Flow, { index, answers }: Person): Lookup[] {
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
              binding: lookupBinding(widget.id),
              connection: widget.connection,
              path: widgetPath(flow, page.code, widget.id),
              inputs: Object.fromEntries(widget.inputs.map((input) => [input, known[input]])),
            },
          ]
        : [],
    ),
  )
  if (flow.directory === null) return widgets
  const own = { binding: directoryBinding(flow.directory), connection: flow.directory, path: pagePath(flow, flow.pages[0]?.code ?? '') }
  return [...widgets, { ...own, inputs: { email: known.email } }]
}
