import { diffWordsWithSpace } from 'diff'
import { readComparison } from '../../src/domains/bids/compare.ts'
import type { RfpResponseContent } from '../../src/domains/bids/tables.ts'
import type { Clause } from '../../src/domains/supplier-contracts/tables.ts'
import type { AttachedRubric } from '../../src/domains/rfps/tables.ts'
import { listContracts } from '../../src/domains/supplier-contracts/list.ts'
import { geocodeSupplierSearch, searchSuppliers, type SupplierSearch } from '../../src/domains/suppliers/search.ts'
import { createEventContextAt } from '../../test/support/at-event.ts'
import { createSigningFixtures } from '../../test/support/signing.ts'
import { EXAMPLE_NEED, RESPONSE_A, createSourcingFixtures } from '../../test/support/sourcing.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { scaleRows } from '../size.ts'

const SUPPLIERS = scaleRows(20_000)
const RECIPIENTS = scaleRows(60, 6)
/** 22 clauses of 820 words are 40 pages of 450 words. */
const CLAUSES = 22
const WORDS_PER_CLAUSE = scaleRows(820, 40)
const CITIES = 200
const PAGE = 25

/** Suppliers around 200 cities; every tenth name has a rare word. */
const LOAD = `
  insert into suppliers (tenant_id, client_id, id, name, kind, status, identity, address, latitude, longitude, sleeping_rooms,
    total_meeting_sqm, meeting_rooms, amenities, contacts, rfps, responses)
  select $1, $2, lpad(to_hex(n), 24, '0'), (array['Grand', 'Park', 'Central', 'Royal', 'Plaza', 'Garden', 'Palace'])[1 + n % 7] || ' Hotel ' ||
      case when n % 10 = 0 then 'Rare' || n else (array['Nord', 'Sud', 'Est', 'Ouest', 'am Ring', 'del Mar'])[1 + n % 6] || ' ' || n end,
    (array['hotel', 'hotel', 'hotel', 'venue', 'catering'])[1 + n % 5], 'verified', 'supplier ' || n,
    jsonb_build_object('city', 'City ' || n % ${CITIES}, 'country', 'PT'),
    36 + (n % ${CITIES}) * 0.1 + (n * 31 % 97) * 0.001, -8 + (n % ${CITIES}) * 0.15 + (n * 17 % 89) * 0.001, 40 + n * 7 % 600,
    case when n % 3 > 0 then 200 + n * 13 % 4000 end,
    jsonb_build_array(
      jsonb_build_object('name', 'Hall', 'areaSqm', 100 + n * 11 % 900, 'capacity', jsonb_build_object('theater', 100 + n * 11 % 900)),
      jsonb_build_object('name', 'Salon', 'areaSqm', 40 + n % 90, 'capacity', '{}'::jsonb)),
    (array['{}', '{Wi-Fi,Parking}', '{Wi-Fi,Step-free rooms,Pool}', '{Parking,Pool}'])[1 + n % 4]::text[],
    jsonb_build_array(jsonb_build_object('name', 'Sales', 'email', 'sales' || n || '@suppliers.example')), n % 6, n % 3
  from generate_series(1, $3::integer) n`

const RUBRIC: AttachedRubric = {
  name: 'Ours',
  criteria: [
    { code: 'cost', name: 'Cost', weight: 40, scorer: 'formula', formula: 'lowestCost' },
    { code: 'distance', name: 'Distance', weight: 20, scorer: 'formula', formula: 'distance' },
    { code: 'location', name: 'Location', weight: 40, scorer: 'manual' },
  ],
}

const BRIEF = {
  ...EXAMPLE_NEED,
  radiusKm: 25,
  needSpace: true,
  functions: [{ name: 'Plenary', day: '2027-06-10', from: '09:00', until: '17:00', people: 400, setup: 'classroom' as const }],
  mustHaves: ['Wi-Fi', 'Step-free rooms'],
}
/**
 * The values that the search derives from the brief: the center of its city, and its needs. 400 people in classroom seating need 680 m².
 */
const FIT = { latitude: 41.14961, longitude: -8.61099, peak: 100, area: 680, radiusKm: 25, mustHaves: ['wifi', 'stepfreerooms'] }

interface LoadedSourcing {
  world: World
  olga: OrganizerHandle
  event: EventHandle
  briefId: string
  rfpId: string
  contractId: string
}

let loading: Promise<LoadedSourcing> | null = null
const loaded = () => (loading ??= load())

async function load(): Promise<LoadedSourcing> {
  const world = await newWorld()
  const event = await world.event({ at: await world.client({ code: 'acme' }), code: 'large' })
  const { pool } = world.database
  await pool.query(LOAD, [event.tenantId, event.clientId, SUPPLIERS])
  const rows = createSourcingFixtures(world, event)
  const briefId = await rows.brief(BRIEF)
  const rfpId = await loadRfp(world, event, briefId)
  const contractId = await loadContract(world, event)
  await pool.query('vacuum analyze')
  return { world, olga: await world.organizer({ at: event }), event, briefId, rfpId, contractId }
}

const offerOf = (n: number): RfpResponseContent => ({
  ...RESPONSE_A,
  rooms: RESPONSE_A.rooms.flatMap((room) => [
    { ...room, rates: { single: 15_000 + n * 137 } },
    { ...room, roomType: 'suite', rooms: 4, rates: { single: 40_000 + n * 251 } },
  ]),
  rental: 500_000 + n * 7919,
  otherFees: [{ name: 'Cleaning', amount: 20_000 + n, mandatory: true }],
  note: `Offer ${n}. `.repeat(20),
})

/** An RFP after its due time, with a response and a score of every recipient. */
async function loadRfp(world: World, event: EventHandle, briefId: string): Promise<string> {
  const rows = createSourcingFixtures(world, event)
  const rfpId = await rows.rfp(briefId, { dueInDays: -1, status: 'closed', rubric: RUBRIC })
  for (let n = 1; n <= RECIPIENTS; n++) {
    const responseId = await rows.response(await rows.recipient(rfpId, toSupplierId(n)), offerOf(n))
    await world.database.pool.query(
      `insert into response_scores (tenant_id, event_id, response_id, criterion, evaluator, score) values ($1, $2, $3, 'location', 'eva', $4)`,
      [event.tenantId, event.eventId, responseId, (n % 11) / 2],
    )
  }
  return rfpId
}

const toSupplierId = (n: number) => n.toString(16).padStart(24, '0')

const VOCABULARY =
  'the hotel shall provide to client rooms at agreed rate and event for of payment within days after notice written party either may'.split(
    ' ',
  )

/** The text of a clause. In another version, every fiftieth word differs. */
const writeClause = (clause: number, version: number): Clause => ({
  key: `clause${clause}`,
  title: `Clause ${clause}`,
  body: Array.from({ length: WORDS_PER_CLAUSE }, (_, n) => {
    const isChanged = version > 1 && n % 50 === 7
    return isChanged ? `version${version}` : VOCABULARY[(clause * 31 + n * n * 7 + n) % VOCABULARY.length]!
  })
    .join(' ')
    .replaceAll(/((?:\S+ ){19}\S+) /g, '$1. '),
  vars: {},
})

const writeVersion = (version: number) => Array.from({ length: CLAUSES }, (_, clause) => writeClause(clause, version))

async function loadContract(world: World, event: EventHandle): Promise<string> {
  const { contractId } = await createSigningFixtures(world, event).contract({ clauses: writeVersion(1), supplier: 'Writing hotel' })
  await world.database.pool.query(
    `insert into contract_versions (tenant_id, event_id, contract_id, n, written_by, clauses, sha256, created_by)
     values ($1, $2, $3, 2, 'supplier', $4, repeat('0', 64), 'bench')`,
    [event.tenantId, event.eventId, contractId, JSON.stringify(writeVersion(2))],
  )
  await world.database.pool.query('update supplier_contracts set current_version = 2 where id = $1', [contractId])
  return contractId
}

/** Returns the location of the city with this number. */
const placeOf = (city: number) => [36 + city * 0.1 + 0.05, -8 + city * 0.15 + 0.045] as const
const rareOf = (n: number) => ((n % (SUPPLIERS / 10)) + 1) * 10

const DISTANCE = (latitude: string, longitude: string) => `2 * 6371 * asin(least(1, sqrt(sin(radians(latitude - ${latitude}) / 2) ^ 2
  + cos(radians(${latitude})) * cos(radians(latitude)) * sin(radians(longitude - ${longitude}) / 2) ^ 2)))`

const NAMED = 'select * from suppliers where tenant_id = $1 and client_id = $2'

/** Hand-written SQL statements that read the same rows. */
const BARE = {
  text: `${NAMED} and status <> 'blocked' and searched like $3 order by name, id limit ${PAGE}`,
  near: `${NAMED} and status <> 'blocked' and latitude between $3::float8 - 10 / 110.0 and $3::float8 + 10 / 110.0 and ${DISTANCE('$3::float8', '$4::float8')} <= 10
    order by ${DISTANCE('$3::float8', '$4::float8')}, name, id limit ${PAGE}`,
  facts: `${NAMED} and status <> 'blocked' and kind = 'hotel' and sleeping_rooms >= 500
      and exists (select 1 from jsonb_array_elements(meeting_rooms) r
        where coalesce((r -> 'capacity' ->> 'classroom')::numeric, floor((r ->> 'areaSqm')::numeric / 1.7)) >= 300)
      and amenities @> '{Wi-Fi}' order by name, id limit ${PAGE}`,
  fit: `select s.*, best.fit from (
      select id, round((30 * least(1, sleeping_rooms * 0.8 / $3::float8)
        + 30 * coalesce(least(1, coalesce(total_meeting_sqm, (select sum((r ->> 'areaSqm')::float8) from jsonb_array_elements(meeting_rooms) r))
            / $4::float8), 0.5)
        + 20 * greatest(0, 1 - round((${DISTANCE('$6::float8', '$7::float8')})::numeric, 2)::float8 / $5::float8)
        + 10 * case when amenities = '{}' then 0.5 else (select count(*) from unnest($8::text[]) m where m = any(
            select regexp_replace(lanyard_searched(a), '[^[:alnum:]]+', '', 'g') from unnest(amenities) a))::float8 / cardinality($8::text[]) end
        + 10 * case when rfps = 0 then 0.5 else least(1, responses::float8 / rfps) end)::numeric, 1) as fit
      from suppliers where tenant_id = $1 and client_id = $2 and status <> 'blocked' order by fit desc, id limit ${PAGE}) best
    join suppliers s on s.tenant_id = $1 and s.client_id = $2 and s.id = best.id order by best.fit desc, s.id`,
  rfp: 'select * from rfps where tenant_id = $1 and event_id = $2 and id = $3',
  responses: `select o.*, r.status, s.name, s.latitude, s.longitude, s.meeting_rooms, s.total_meeting_sqm from rfp_responses o
    join rfp_recipients r on r.tenant_id = o.tenant_id and r.event_id = o.event_id and r.id = o.recipient_id
    join suppliers s on s.tenant_id = o.tenant_id and s.client_id = r.client_id and s.id = o.supplier_id
    where o.tenant_id = $1 and o.event_id = $2 and o.rfp_id = $3 order by s.name, o.recipient_id, o.round`,
  scores: `select * from response_scores where tenant_id = $1 and event_id = $2
    and response_id in (select id from rfp_responses where tenant_id = $1 and event_id = $2 and rfp_id = $3)`,
  versions: 'select n, clauses from contract_versions where tenant_id = $1 and event_id = $2 and contract_id = $3 order by n',
}

type Query = (parts: LoadedSourcing, n: number) => Promise<unknown>

const ask = async ({ world }: LoadedSourcing, name: keyof typeof BARE, values: unknown[]) =>
  (await world.database.pool.query(BARE[name], values)).rows
async function readBids(parts: LoadedSourcing): Promise<void> {
  const values = [...eventOf(parts), parts.rfpId]
  await ask(parts, 'rfp', values)
  await ask(parts, 'responses', values)
  await ask(parts, 'scores', values)
}
const clientOf = ({ event }: LoadedSourcing) => [event.tenantId, event.clientId]
const eventOf = ({ event }: LoadedSourcing) => [event.tenantId, event.eventId]
const call = ({ olga, event }: LoadedSourcing, tool: string, args: object) => olga.call(tool, { eventCode: event.eventCode, ...args })

/** Runs the queries of search_suppliers and compare_responses without the rest of the call, which the benchmark with-database measures. */
const reading = async ({ world, event }: LoadedSourcing) => ({ ...(await at(world, event)), db: world.database.read, hotels: null })
let context: ReturnType<typeof createEventContextAt> | null = null
const at = (world: World, event: EventHandle) => (context ??= createEventContextAt(world, event))
const search = async (parts: LoadedSourcing, wanted: Omit<SupplierSearch, 'limit'>) => {
  const ctx = await reading(parts)
  const page = { ...wanted, limit: PAGE }
  return searchSuppliers(ctx, page, await geocodeSupplierSearch(ctx, page))
}

const FACTS = {
  kind: 'hotel',
  minSleepingRooms: 500,
  largestRoomFor: { people: 300, setup: 'classroom' as const },
  amenities: ['Wi-Fi'],
}

const QUERIES: Record<string, Query> = {
  text: (parts, n) => call(parts, 'search_suppliers', { search: `rare${rareOf(n)}` }),
  'text, read': (parts, n) => search(parts, { search: `rare${rareOf(n)}` }),
  'text, bare': (parts, n) => ask(parts, 'text', [...clientOf(parts), `%rare${rareOf(n)}%`]),
  near: (parts, n) => call(parts, 'search_suppliers', { near: placeOf(n % CITIES).join(','), radiusKm: 10 }),
  'near, read': (parts, n) => search(parts, { near: placeOf(n % CITIES).join(','), radiusKm: 10 }),
  'near, bare': (parts, n) => ask(parts, 'near', [...clientOf(parts), ...placeOf(n % CITIES)]),
  facts: (parts) => call(parts, 'search_suppliers', FACTS),
  'facts, read': (parts) => search(parts, FACTS),
  'facts, bare': (parts) => ask(parts, 'facts', clientOf(parts)),
  fit: (parts) => call(parts, 'search_suppliers', { briefId: parts.briefId }),
  'fit, read': (parts) => search(parts, { briefId: parts.briefId }),
  'fit, bare': (parts) =>
    ask(parts, 'fit', [...clientOf(parts), FIT.peak, FIT.area, FIT.radiusKm, FIT.latitude, FIT.longitude, FIT.mustHaves]),
  compare: (parts) => call(parts, 'compare_responses', { rfpId: parts.rfpId }),
  'compare, read': async (parts) => readComparison(await reading(parts), { rfpId: parts.rfpId }),
  'compare, bare': readBids,
  diff: (parts) => call(parts, 'list_contracts', { contractId: parts.contractId, diff: { from: 1, to: 2 } }),
  'diff, read': async (parts) => listContracts(await reading(parts), { contractId: parts.contractId, diff: { from: 1, to: 2 } }),
  'diff, bare': async (parts) => {
    const [first, second] = (await ask(parts, 'versions', [...eventOf(parts), parts.contractId])) as { clauses: Clause[] }[]
    return first!.clauses.map((clause, index) => diffWordsWithSpace(clause.body, second!.clauses[index]!.body))
  },
}

/** Returns the mean and the 95th percentile of the milliseconds of one query, in wall-clock time. */
async function time({ query, seconds }: { query: string; seconds: number }): Promise<{ mean: number; p95: number }> {
  const parts = await loaded()
  const until = performance.now() + seconds * 1000
  const spent: number[] = []
  do {
    const started = performance.now()
    await QUERIES[query]!(parts, (spent.length * 7919) % 10_007)
    spent.push(performance.now() - started)
  } while (performance.now() < until)
  const sorted = spent.toSorted((a, b) => a - b)
  return { mean: spent.reduce((sum, one) => sum + one, 0) / spent.length, p95: sorted[Math.ceil(sorted.length * 0.95) - 1]! }
}

serveRequests({
  time,
  sizes: async () => {
    await loaded()
    return { suppliers: SUPPLIERS, responses: RECIPIENTS, words: CLAUSES * WORDS_PER_CLAUSE }
  },
  end: async () => (await loaded()).world.end(),
})
