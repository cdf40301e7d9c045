import pg from 'pg'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import { createApiAccountAt, personHandle, type PersonHandle } from '../../test/support/participants.ts'
import { openFormAs } from '../../test/support/registration-form.ts'
import { openSalesScenario, type SalesScenario } from '../../test/support/sales-scenario.ts'
import { chooseFreeBaseUrl, serve } from '../../test/support/server.ts'
import { visitor } from '../../test/support/visitor.ts'
import { serveRequests } from '../child.ts'
import { adaptToAnotherParticipant, recordStatements, replayStatements, type RecordedStatement } from './statements.ts'
import { scaleRows } from '../size.ts'

const recorder = recordStatements(pg.Client)

type Work = 'list' | 'submit' | 'page'

interface Desk {
  selling: SalesScenario
  people: PersonHandle[]
  /** Opens the first page of the form in the browser session of a started registration. */
  openPage: () => Promise<unknown>
  bare: pg.Client
  recorded: Record<Work, { statements: RecordedStatement[]; email: string }>
}

const PEOPLE = scaleRows(20_000)
const NAMES = { '@participant.firstName': 'Anna', '@participant.lastName': 'Keller' }

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const selling = await openSalesScenario(undefined, { baseUrl: await chooseFreeBaseUrl() })
  const { world, event } = selling
  const account = await createApiAccountAt(world, event)
  const people: PersonHandle[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const email = `bench-${n}@example.org`
    const at = { tenantId: event.tenantId, accountId: account.accountId, eventId: event.eventId, email }
    const { token } = await issueParticipantSession(world.database.write, at)
    people.push(personHandle(world, { ...account, email, participantIds: [], session: token.reveal() }))
  }
  const bare = new pg.Client({ connectionString: world.url! })
  await bare.connect()
  const registrant = openFormAs(visitor(await serve(world)), event)
  await registrant.begin('page@example.org')
  const openPage = async () => {
    const { status } = await registrant.open('contact')
    if (status !== 200) throw new Error(`the page responded with ${status}`)
  }
  const opened = { selling, people, openPage, bare }
  const recorded = {
    list: await statementsOf(opened, 'list'),
    submit: await statementsOf(opened, 'submit'),
    page: await statementsOf(opened, 'page'),
  }
  return { ...opened, recorded }
}

const CALLS: Record<Work, (at: Pick<Desk, 'people' | 'openPage'>) => Promise<unknown>> = {
  list: ({ people }) => people[0]!.call('agent_list_flows'),
  submit: ({ people }) => people.at(-1)!.call('agent_submit_registration', { data: NAMES }),
  page: ({ openPage }) => openPage(),
}

/** Returns the SQL statements of one call. An earlier call has filled the caches. */
async function statementsOf(at: Pick<Desk, 'people' | 'openPage'>, work: Work) {
  await CALLS[work](at)
  at.people.pop()
  const { email } = at.people.at(-1)!
  recorder.record()
  await CALLS[work](at)
  at.people.pop()
  return { statements: recorder.recorded().statements, email }
}

const run: Record<'ours' | 'bare', (at: Desk, work: Work) => Promise<unknown>> = {
  ours: async (at, work) => {
    await CALLS[work](at)
    if (work === 'submit') at.people.pop()
  },
  bare: ({ bare, recorded, selling: { event } }, work) =>
    replayStatements(bare, adaptToAnotherParticipant(recorded[work].statements, recorded[work].email, [event.eventId, event.clientId])),
}

/** Returns the mean duration of one call in milliseconds of wall-clock time. */
async function time({ work, side, seconds }: { work: Work; side: keyof typeof run; seconds: number }): Promise<number> {
  const at = await openedDesk()
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const started = performance.now()
    await run[side](at, work)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

async function statements(): Promise<Record<Work, number>> {
  const { recorded } = await openedDesk()
  return { list: recorded.list.statements.length, submit: recorded.submit.statements.length, page: recorded.page.statements.length }
}

async function end(): Promise<void> {
  const at = await desk
  await at?.bare.end()
  await at?.selling.world.end()
}

serveRequests({ time, statements, end })
