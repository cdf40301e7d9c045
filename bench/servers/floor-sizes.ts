import { scanFile } from '../../src/domains/exhibitors/plan-scans/scan-file.ts'
import { BOOTH_SECTIONS } from '../../test/support/booths.ts'
import { createExhibitorFixtures, buildRectangle } from '../../test/support/companies.ts'
import { dxfFile, dxfLine, dxfPolygon, dxfText, square } from '../../test/support/floor-drawings.ts'
import { createPersonAt, type PersonHandle } from '../../test/support/participants.ts'
import { openSalesScenario, type SalesScenario } from '../../test/support/sales-scenario.ts'
import { serveRequests } from '../child.ts'
import { scaleRows } from '../size.ts'

const PLANS = 4
const BOOTHS = scaleRows(1500, 40)
const COMPANIES = scaleRows(3000)
const APPLICATIONS = scaleRows(4000)
const SCANS = scaleRows(200_000)
/** Maximum number of rows inserted by one statement, which must stay within the statement timeout. */
const SCANS_PER_INSERT = 10_000
const PEOPLE = scaleRows(20_000)
const ENTITIES = scaleRows(200_000, 1000)

/** Double rows of 3 × 3 m with aisles of 3 m, fifty columns wide. */
const COLUMNS = 50

interface Floor {
  sales: SalesScenario
  visitor: PersonHandle
  loadedIn: number
}

let floor: Promise<Floor> | null = null
const loaded = () => (floor ??= load())

async function load(): Promise<Floor> {
  const start = performance.now()
  const sales = await openSalesScenario({
    ...BOOTH_SECTIONS,
    exhibitorConfig: { ...BOOTH_SECTIONS.exhibitorConfig, points: { rules: [{ code: 'years', kind: 'yearsExhibited', points: 1 }] } },
  })
  const { world, event } = sales
  const exhibitors = createExhibitorFixtures(world, event)
  for (let plan = 0; plan < PLANS; plan++) {
    const rows = Math.ceil(BOOTHS / COLUMNS)
    const outline = { outer: buildRectangle(0, 0, COLUMNS * 3 + 9, Math.ceil(rows / 2) * 9 + 9) }
    const pois = [
      { id: 'in', kind: 'entrance', name: 'Entrance', point: [1, 1] },
      { id: 'out', kind: 'exit', name: 'Exit', point: [COLUMNS * 3 + 8, 1] },
      { id: 'food', kind: 'food', name: 'Food', point: [COLUMNS * 3 + 8, 4] },
    ] as const
    const booths = Array.from({ length: BOOTHS }, (_, i) => {
      const [row, column] = [Math.floor(i / COLUMNS), i % COLUMNS]
      const polygon = buildRectangle(3 + column * 3, 3 + Math.floor(row / 2) * 9 + (row % 2) * 3, 3, 3)
      return { number: `${plan}-${i + 1}`, polygon, sizeCode: 'small' }
    })
    await exhibitors.plan({ code: `hall-${plan}`, outline, pois: [...pois] }, booths)
  }
  const { pool } = world.database
  const at = [event.tenantId, event.eventId]
  await pool.query(COMPANY_ROWS, [...at, event.clientId, COMPANIES])
  // One booth is assigned to a company, because participants see only assigned booths.
  await exhibitors.assign(`0-${BOOTHS}`, `a${'1'.padStart(23, '0')}`)
  await pool.query(APPLICATION_ROWS, [...at, COMPANIES, APPLICATIONS])
  await pool.query(PARTICIPANTS, [...at, PEOPLE])
  await storeScans(world.database.pool, at)
  const visitor = await createPersonAt(world, event)
  await pool.query('vacuum analyze')
  return { sales, visitor, loadedIn: Math.round((performance.now() - start) / 1000) }
}

/**
 * Inserts badge scans without checking foreign keys, which would take minutes. The trigger that counts scans stays enabled, because
 * summaries read its counts.
 */
async function storeScans(pool: SalesScenario['world']['database']['pool'], at: readonly unknown[]): Promise<void> {
  await pool.query('alter table attendance_scans enable always trigger attendance_scans_added')
  const connection = await pool.connect()
  try {
    await connection.query('set session_replication_role = replica')
    for (let from = 1; from <= SCANS; from += SCANS_PER_INSERT)
      await connection.query(SCAN_ROWS, [...at, from, Math.min(SCANS, from + SCANS_PER_INSERT - 1), PEOPLE])
    await connection.query('set session_replication_role = origin')
  } finally {
    connection.release()
  }
}

const COMPANY_ROWS = `
with made as (
  insert into organizations (tenant_id, id, client_id, name)
  select $1::integer, 'a' || lpad(to_hex(n), 23, '0'), $3::text, 'Company ' || n from generate_series(1, $4::int) n where $2::text is not null returning id, name)
insert into companies (tenant_id, event_id, id, organization_id, code, name, activation_code, activation_hmac, status)
select $1, $2, m.id, m.id, 'c-' || m.id, m.name, m.id, m.id, 'active' from made m`

/** Every company applies for a booth once. The remaining applications are for a second booth. */
const APPLICATION_ROWS = `
insert into booth_applications (tenant_id, event_id, id, number, company_id, is_test_data, status, additional, wanted, submitted_at)
select $1::integer, $2::text, 'b' || lpad(to_hex(n), 23, '0'), 'A-' || lpad(n::text, 6, '0'), 'a' || lpad(to_hex(1 + (n - 1) % $3::int), 23, '0'), false, 'approved',
  n > $3::int, jsonb_build_object('sizes', jsonb_build_array('small'), 'boothNumbers', jsonb_build_array('0-' || 1 + n % 40), 'acceptOther', true),
  lanyard_now() - n * interval '1 minute'
from generate_series(1, $4::int) n`

const PARTICIPANTS = `
insert into participants (tenant_id, event_id, id, status, first_name, last_name, email, confirmation_number, badge_id, completed_at)
select $1::integer, $2::text, lpad(to_hex(n), 24, '0'), 'complete', 'Ada', 'Nr ' || n, n || '@example.org', 'B' || lpad(n::text, 6, '0'),
  'bench-' || n, lanyard_now()
from generate_series(1, $3::int) n`

const SCAN_ROWS = `
insert into attendance_scans (tenant_id, event_id, id, participant_id, scope, direction, at, method, device_name, nonce, result)
select $1::integer, $2::text, lpad(to_hex(n), 24, '0'), lpad(to_hex(1 + n % $5::int), 24, '0'), 'event',
  case when (n / $5::int) % 2 = 0 then 'in' else 'out' end, lanyard_now() - n * interval '100 milliseconds', 'scan', 'door-' || n % 20, n::text, 'accepted'
from generate_series($3::int, $4::int) n`

/** Booths with numbers, pillars and walls, as an export of a drawing program has them. */
function drawHall(): Uint8Array {
  const booths = Math.floor(ENTITIES / 4)
  const side = Math.ceil(Math.sqrt(booths))
  const width = side * 6000
  const walls = [
    [0, 0, width, 0],
    [width, 0, width, width],
    [width, width, 0, width],
    [0, width, 0, 0],
  ]
  const entities = [
    ...walls.flatMap((wall) => dxfLine('HALL', wall)),
    ...Array.from({ length: booths }, (_, i) => {
      const [x, y] = [(i % side) * 6000 + 1500, Math.floor(i / side) * 6000 + 1500]
      return [
        ...dxfPolygon('BOOTHS', square(x, y, 3000)),
        ...dxfText('BOOTHS', String(i + 1), x + 1500, y + 1500, 300),
        ...dxfLine('CARPET', [x, y, x + 3000, y + 3000]),
        ...dxfLine('CARPET', [x + 3000, y, x, y + 3000]),
      ]
    }).flat(),
  ]
  return Buffer.from(dxfFile(4, entities))
}

let drawing: Uint8Array | null = null

const SCAN = { kind: 'dxf', page: 1, kinds: null, layers: null, languages: ['en'], units: 'm', outlineSize: null } as const

const WORK: Record<string, (floor: Floor) => Promise<unknown>> = {
  booths: ({ sales }) => sales.call('list_booths', { limit: 100 }),
  applications: ({ sales }) => sales.call('list_booth_applications', { limit: 100 }),
  placement: ({ sales }) => sales.call('analyze_placement', { floorPlanCode: 'hall-0' }),
  map: ({ visitor }) => visitor.call('get_booth_map', { floorPlanCode: 'hall-0', boothNumbers: [`0-${BOOTHS}`] }),
  summary: ({ sales }) => sales.call('get_onsite_summary', {}),
  drawing: () => scanFile((drawing ??= drawHall()), SCAN, () => {}),
}

serveRequests({
  loaded: async () => `${PLANS * BOOTHS} booths, ${COMPANIES} companies, ${SCANS} scans, loaded in ${(await loaded()).loadedIn} s`,
  async time({ work }: { work: string }) {
    const given = await loaded()
    if (work === 'drawing') drawing ??= drawHall()
    await given.sales.world.database.pool.query('delete from rate_windows')
    const start = performance.now()
    await WORK[work]!(given)
    return performance.now() - start
  },
  end: async () => (await loaded()).sales.world.end(),
})
