import { hashCanonicalJson } from '../../src/kernel/canonical.ts'
import { createPersonAt, type PersonHandle } from '../../test/support/participants.ts'
import { updateProfiles } from '../../test/support/recommendations.ts'
import { newWorld } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { scaleRows } from '../size.ts'

const PEOPLE = scaleRows(120_000)
/** Maximum number of participants inserted by one statement, which must stay within the statement timeout. */
const PARTICIPANTS_PER_STATEMENT = 4000

const choices = (count: number, word: string) => Array.from({ length: count }, (_, n) => ({ code: `c${n}`, name: `${word} ${n}` }))

const DOCUMENT = {
  details: { name: 'Large', startsOn: '2027-05-11', endsOn: '2027-05-11' },
  customFields: [
    { code: 'role', name: 'Role', responseType: 'choice', choices: choices(8, 'Role') },
    { code: 'trade', name: 'Trade', responseType: 'choice', choices: choices(15, 'Trade') },
    { code: 'topics', name: 'Topics', responseType: 'multiChoice', choices: choices(12, 'Topic') },
  ],
  products: Array.from({ length: 40 }, (_, n) => ({
    code: `product-${n}`,
    name: `Product ${n}`,
    category: 'meal',
    prices: [{ amount: '10.00' }],
  })),
  flows: [
    {
      slug: 'attendee',
      name: 'Registration',
      pages: [{ code: 'all', widgets: [{ id: 'sale', type: 'products', category: 'meal' }] }],
    },
  ],
}

/** Each participant answers three questions and writes forty words; half of them are listed in recommendations. */
const LOAD = `
  insert into participants (tenant_id, event_id, id, status, completed_at, confirmation_number, first_name, last_name, email, flow_slug,
    job_title, bio, visible_to_participants, custom_field_responses)
  select $1, $2, lpad(to_hex(n), 24, '0'), 'complete', lanyard_now(), 'N' || n, 'First', n::text, n || '@large.example', 'attendee',
    'Engineer of ' || (array['robots', 'energy', 'health', 'trade', 'music', 'law'])[1 + n % 6],
    (select string_agg('word' || (hashint8(n * 50 + w) & 4095), ' ') from generate_series(1, 40) w),
    n % 2 = 0,
    jsonb_build_object('role', 'c' || (hashint8(n) & 7), 'trade', 'c' || abs(hashint8(n + 1) % 15),
      'topics', (select jsonb_agg(distinct 'c' || abs(hashint8(n * 7 + t) % 12)) from generate_series(1, 3) t))
  from generate_series($3::bigint, $4::bigint) n`

interface LoadedCrowd {
  me: PersonHandle
  keptIn: number
  end: () => Promise<void>
}

let crowd: Promise<LoadedCrowd> | null = null
const gathered = () => (crowd ??= loadCrowd())

async function loadCrowd(): Promise<LoadedCrowd> {
  const world = await newWorld()
  const event = await world.event({ at: await world.client({ code: 'acme' }), code: 'large' })
  const { pool } = world.database
  await pool.query(`insert into config_drafts (tenant_id, event_id, document, sha256) values ($1, $2, $3, $4)`, [
    event.tenantId,
    event.eventId,
    JSON.stringify(DOCUMENT),
    hashCanonicalJson(DOCUMENT).toString('hex'),
  ])
  for (let from = 1; from <= PEOPLE; from += PARTICIPANTS_PER_STATEMENT)
    await pool.query(LOAD, [event.tenantId, event.eventId, from, Math.min(PEOPLE, from + PARTICIPANTS_PER_STATEMENT - 1)])
  const started = performance.now()
  await updateProfiles({ world })
  const keptIn = Math.round((performance.now() - started) / 1000)
  await pool.query('vacuum analyze')
  const me = await createPersonAt(world, event, { email: '2@large.example', registrations: 0 })
  const end = async () => {
    // Closing a test world scans all of its rows for leaked tokens, so they are deleted first.
    await pool.query('truncate participants cascade')
    await world.end()
  }
  return { me, keptIn, end }
}

/** Returns the mean duration of one call in milliseconds of wall-clock time. */
async function time({ tool, seconds }: { tool: string; seconds: number }): Promise<number> {
  const { me } = await gathered()
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const started = performance.now()
    await me.call(tool)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

serveRequests({ time, found: async () => ({ people: PEOPLE, keptIn: (await gathered()).keptIn }), end: async () => (await crowd)?.end() })
