import pg from 'pg'
import { issueParticipantSession } from '../../src/domains/access/participant-sessions.ts'
import { newId } from '../../src/kernel/ids.ts'
import { apiAccountAt, handle, type PersonHandle } from '../../test/support/participants.ts'
import { openSelling, type Selling } from '../../test/support/selling.ts'
import { answer } from '../child.ts'
import { recordStatements, type Statement } from './statements.ts'

const recorder = recordStatements(pg.Client)

type Work = 'list' | 'submit'

interface Desk {
  selling: Selling
  people: PersonHandle[]
  bare: pg.Client
  recorded: Record<Work, { statements: Statement[]; email: string }>
}

const PEOPLE = 20_000
const NAMES = { '@participant.firstName': 'Anna', '@participant.lastName': 'Keller' }

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const selling = await openSelling()
  const { world, event } = selling
  const account = await apiAccountAt(world, event)
  const people: PersonHandle[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const email = `bench-${n}@example.org`
    const at = { tenantId: event.tenantId, accountId: account.accountId, eventId: event.eventId, email }
    const { token } = await issueParticipantSession(world.database.write, at)
    people.push(handle(world, { ...account, email, participantIds: [], session: token.reveal() }))
  }
  const bare = new pg.Client({ connectionString: world.url! })
  await bare.connect()
  const opened = { selling, people, bare }
  return { ...opened, recorded: { list: await statementsOf(opened, 'list'), submit: await statementsOf(opened, 'submit') } }
}

const CALLS: Record<Work, (person: PersonHandle) => Promise<unknown>> = {
  list: (person) => person.call('agent_list_flows'),
  submit: (person) => person.call('agent_submit_registration', { data: NAMES }),
}

/** What one call asks of the database, once everything that is kept in memory is there. */
async function statementsOf({ people }: Pick<Desk, 'people'>, work: Work) {
  await CALLS[work](people.pop()!)
  const person = people.pop()!
  recorder.record()
  await CALLS[work](person)
  return { statements: recorder.recorded().statements, email: person.email }
}

const isId = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{24}$/.test(value)

const run: Record<'ours' | 'bare', (at: Desk, work: Work) => Promise<unknown>> = {
  ours: ({ people }, work) => CALLS[work](work === 'list' ? people[0]! : people.pop()!),
  bare: async ({ bare, recorded, selling: { event } }, work) => {
    const { statements, email } = recorded[work]
    // Records that the call made are made anew under other ids, for somebody else.
    const inserted = new Set(statements.filter(({ text }) => /^\s*insert/i.test(text)).flatMap(({ values }) => values.filter(isId)))
    const known = new Set<string>([event.eventId, event.clientId])
    const ids = new Map([...inserted].filter((id) => !known.has(id)).map((id) => [id, newId()]))
    const person = `${newId()}@example.org`
    const other = (value: unknown) => (value === email ? person : isId(value) ? (ids.get(value) ?? value) : value)
    for (const { text, values } of statements) await bare.query(text, values.map(other))
  },
}

/** Milliseconds for one of them, by the clock. */
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
  return { list: recorded.list.statements.length, submit: recorded.submit.statements.length }
}

async function end(): Promise<void> {
  const at = await desk
  await at?.bare.end()
  await at?.selling.world.end()
}

answer({ time, statements, end })
