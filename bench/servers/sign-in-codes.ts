import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { newId } from '../../src/kernel/ids.ts'
import { assistantAt, newestCodeOf, type SigningIn } from '../../test/support/codes.ts'
import { type EventPlace, newWorld, type World } from '../../test/support/world.ts'
import { answer } from '../child.ts'

/** Below what one account may send in a day. */
const CODES_PER_ACCOUNT = 190

interface Desk {
  world: World
  event: EventPlace
  assistant: SigningIn
  sent: number
  bare: pg.Client
  copies: Record<'code' | 'message' | 'session' | 'audit', string>
}

let desk: Promise<Desk> | null = null
const openedDesk = () => (desk ??= openDesk())

async function openDesk(): Promise<Desk> {
  const world = await newWorld()
  const event = await world.event()
  const assistant = await assistantAt(world, event)
  const email = 'sample@example.org'
  await assistant.verify(email, await assistant.codeFor(email))
  const bare = new pg.Client({ connectionString: world.url! })
  await bare.connect()
  const copies = {
    code: await copyOf(bare, 'one_time_codes', ['id', 'email_norm', 'used_at']),
    message: await copyOf(bare, 'messages', ['id', 'source_id']),
    session: await copyOf(bare, 'participant_sessions', ['hash']),
    audit: await copyOf(bare, 'audit_entries', ['id']),
  }
  // The copies count as this account's, so what is measured has others.
  return { world, event, assistant, sent: CODES_PER_ACCOUNT, bare, copies }
}

/** Writes the one row of a table once more, with other values in some of its columns. */
async function copyOf(bare: pg.Client, table: string, others: readonly string[]): Promise<string> {
  const { rows } = await bare.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  )
  const values = rows.map(({ name, type }) => (others.includes(name) ? `$${others.indexOf(name) + 1}::${type}` : name))
  const names = rows.map(({ name }) => name).join(', ')
  return `insert into ${table} (${names}) select ${values.join(', ')} from (select * from ${table} order by ${others[0]} limit 1) one`
}

async function ours(at: Desk): Promise<number> {
  if (at.sent >= CODES_PER_ACCOUNT) Object.assign(at, { assistant: await assistantAt(at.world, at.event), sent: 0 })
  at.sent++
  const email = `${newId()}@example.org`
  const started = performance.now()
  await at.assistant.request(email)
  const asked = performance.now()
  const code = await newestCodeOf(at.world, email)
  const read = performance.now()
  await at.assistant.verify(email, code)
  return asked - started + performance.now() - read
}

async function bare({ bare: client, copies }: Desk): Promise<number> {
  const started = performance.now()
  const id = newId()
  await client.query('begin')
  await client.query(copies.code, [id, `${id}@example.org`, null])
  await client.query(copies.message, [newId(), id])
  await client.query(copies.audit, [newId()])
  await client.query('commit')
  await client.query('begin')
  await client.query('update one_time_codes set used_at = lanyard_now(), code_hash = null where id = $1', [id])
  await client.query(copies.session, [randomBytes(32)])
  await client.query(copies.audit, [newId()])
  await client.query('commit')
  return performance.now() - started
}

const run = { ours, bare }

/** Milliseconds for one of them, by the clock. */
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

answer({ time, end })
