import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { assistantAt, readLatestCode, type SignInCalls } from '../../test/support/sign-in-codes.ts'
import { type EventHandle, newWorld, type World } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { adaptToAnotherParticipant, recordStatements, replayStatements, type RecordedStatement } from './statements.ts'

const recorder = recordStatements(pg.Client)

/** Sign-in codes requested by one account, fewer than the daily limit of an account. */
const CODES_PER_ACCOUNT = 190

interface Desk {
  world: World
  event: EventHandle
  assistant: SignInCalls
  sent: number
  bare: pg.Client
  recorded: { statements: RecordedStatement[]; email: string }
}

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const world = await newWorld()
  const event = await world.event()
  const assistant = await assistantAt(world, event)
  await signIn(world, assistant, 'first@example.org')
  const bare = new pg.Client({ connectionString: world.url! })
  await bare.connect()
  const email = 'recorded@example.org'
  const statements: RecordedStatement[] = []
  await signIn(world, assistant, email, async (work) => {
    recorder.record()
    await work()
    statements.push(...recorder.recorded().statements)
  })
  // The replayed statements count towards the limit of this account, so the measured calls use other accounts.
  return { world, event, assistant, sent: CODES_PER_ACCOUNT, bare, recorded: { statements, email } }
}

/** Requests and verifies a code. Only the two calls are measured, not reading the email between them. */
async function signIn(world: World, { request, verify }: SignInCalls, email: string, watch = (work: () => Promise<unknown>) => work()) {
  await watch(() => request(email))
  const code = await readLatestCode(world, email)
  await watch(() => verify(email, code))
}

async function ours(at: Desk): Promise<number> {
  if (at.sent >= CODES_PER_ACCOUNT) Object.assign(at, { assistant: await assistantAt(at.world, at.event), sent: 0 })
  at.sent++
  let spent = 0
  await signIn(at.world, at.assistant, `${newId()}@example.org`, async (work) => {
    const started = performance.now()
    await work()
    spent += performance.now() - started
  })
  return spent
}

async function bare({ bare: client, event, recorded: { statements, email } }: Desk): Promise<number> {
  const asked = adaptToAnotherParticipant(statements, email, [event.eventId, event.clientId])
  const started = performance.now()
  await replayStatements(client, asked)
  return performance.now() - started
}

const run = { ours, bare }

/** Returns the mean duration of one sign-in in milliseconds of wall-clock time. */
async function time({ side, seconds }: { side: keyof typeof run; seconds: number }): Promise<number> {
  const at = await openedDesk()
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    spent += await run[side](at)
    runs++
  } while (performance.now() < until)
  return spent / runs
}

async function end(): Promise<void> {
  const at = await desk
  await at?.bare.end()
  await at?.world.end()
}

serveRequests({ time, end })
