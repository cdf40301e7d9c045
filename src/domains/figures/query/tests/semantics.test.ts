import { describe, expect, it } from 'vitest'
import { normalizeTextForComparison } from '../../../../kernel/conditions.ts'
import { createFractionGenerator } from '../../../../../test/support/seeded-fraction.ts'
import { soakRounds, soakSeed } from '../../../../../test/support/soak.ts'
import { deskScenario } from '../../../../toolsets/registration/tests/desk.ts'
import type { ConditionTree } from '../data-query.ts'
import { evaluateConditionTree } from '../evaluate.ts'

const ZONE = 'Europe/Paris'
const PEOPLE = 60
const TREES = soakRounds(120)

const desk = deskScenario({ timezone: ZONE })

/** Texts whose comparison depends on normal forms, case folding, wildcards, or on whether a text is a number. */
const TEXTS = [
  'Straße',
  'STRASSE',
  'strasse',
  'Müller',
  'MU\u0308LLER',
  'Σίσυφος',
  'ΣΊΣΥΦΟΣ',
  'ﬁn',
  'FIN',
  'Ǆ',
  'ǆ',
  '１２',
  '12',
  '12.0',
  '012',
  '1.50',
  '1.5',
  '-0',
  '0',
  '50%',
  '5_',
  '50',
  'a\\b',
  'true',
  'null',
  ' ',
  'Ærø',
  'ÆRØ',
  'Ёлка',
  'ёлка',
  '東京',
  'İzmir',
  'izmir',
  'ᾳδω',
  'ΑΙΔΩ',
]
const TAGS = ['member', 'vip', 'vip-2', 'a']
const INSTANTS = [
  '2026-03-28T22:59:59Z',
  '2026-03-28T23:00:00Z',
  '2026-03-29T00:59:59Z',
  '2026-03-29T01:00:00Z',
  '2026-10-24T21:59:59Z',
  '2026-10-24T22:00:00Z',
  '2026-10-25T00:30:00Z',
  '2026-10-25T01:30:00Z',
  '2026-10-25T22:59:59.999Z',
  '2026-10-25T23:00:00Z',
]
const DAYS = ['2026-03-28', '2026-03-29', '2026-03-30', '2026-10-24', '2026-10-25', '2026-10-26']

interface Row {
  id: string
  lastName: string | null
  tags: string[]
  country: string | null
  completedAt: Date | null
  isGuest: boolean
  'custom.years': number | null
  'custom.club': string | null
  'custom.shirt': string | null
  'custom.topics': string[] | null
  'custom.born': string | null
}

type Pick = <T>(list: readonly T[]) => T

const OPS = {
  text: ['equals', 'notEquals', 'in', 'notIn', 'contains', 'startsWith', 'isSet', 'isNotSet'],
  list: ['equals', 'notEquals', 'in', 'notIn', 'contains', 'isSet', 'isNotSet'],
  number: ['equals', 'notEquals', 'in', 'notIn', 'gt', 'lt', 'gte', 'lte', 'between', 'isSet', 'isNotSet'],
  flag: ['equals', 'notEquals', 'in', 'notIn'],
} as const

/** The kind of each field and the values it is compared with. */
const FIELDS: Readonly<Record<Exclude<keyof Row, 'id'>, { ops: readonly string[]; values: readonly unknown[] }>> = {
  lastName: { ops: OPS.text, values: [...TEXTS, 's', 'ß', 'ς', '%', 'ü'] },
  'custom.club': { ops: OPS.text, values: TEXTS },
  tags: { ops: OPS.list, values: [...TAGS, 'VIP', 'Member'] },
  'custom.topics': { ops: OPS.list, values: ['ai', 'law', 'AI'] },
  country: { ops: ['equals', 'notEquals', 'in', 'notIn', 'isSet', 'isNotSet'], values: ['DE', 'de', 'FR', 'XX'] },
  'custom.shirt': { ops: ['equals', 'notEquals', 'in', 'notIn', 'isSet', 'isNotSet'], values: ['m', 'M', 'l', 'xl'] },
  'custom.years': { ops: OPS.number, values: [0, -1, 1.5, '1.50', 7, '7.0', 12, 1e6] },
  completedAt: { ops: [...OPS.number], values: [...INSTANTS, ...DAYS] },
  'custom.born': { ops: [...OPS.number], values: [...DAYS, '2026-10-24T22:30:00Z', '2026-10-25T23:30:00Z'] },
  isGuest: { ops: OPS.flag, values: [true, false, 'true', 'FALSE'] },
}

function buildTree(pick: Pick, depth: number): ConditionTree {
  if (depth > 0 && pick([true, false])) {
    const parts = Array.from({ length: pick([0, 1, 2, 3]) }, () => buildTree(pick, depth - 1))
    return pick([true, false]) ? { all: parts } : { any: parts }
  }
  const field = pick(Object.keys(FIELDS) as (keyof typeof FIELDS)[])
  const { ops, values } = FIELDS[field]
  const op = pick(ops)
  if (op === 'isSet' || op === 'isNotSet') return { field, op }
  if (op === 'between') return { field, op, value: [pick(values), pick(values)] }
  const isList = op === 'in' || op === 'notIn' || ((op === 'equals' || op === 'contains') && ops === OPS.list && pick([true, false]))
  return { field, op, value: isList ? Array.from({ length: pick([1, 2, 3]) }, () => pick(values)) : pick(values) }
}

/** Inserts people with random values and returns them as values in memory. */
async function insertPeople(pick: Pick): Promise<Row[]> {
  const host = await desk.person({ last_name: null as never })
  const rows: Row[] = []
  for (let n = 0; n < PEOPLE; n++) {
    const row: Omit<Row, 'id'> = {
      lastName: pick([null, '', ...TEXTS, ...TEXTS]),
      tags: TAGS.filter(() => pick([true, false, false])),
      country: pick([null, 'DE', 'FR', 'US']),
      completedAt: pick([null, ...INSTANTS]) as never,
      isGuest: pick([true, false]),
      'custom.years': pick([null, 0, -1, 1.5, 7, 12]),
      'custom.club': pick([null, ...TEXTS]),
      'custom.shirt': pick([null, 'm', 'l']),
      'custom.topics': pick([null, [], ['ai'], ['law', 'ai']]),
      'custom.born': pick([null, ...DAYS]),
    }
    const completedAt = row.completedAt === null ? null : new Date(row.completedAt)
    const answers = Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) => (name.startsWith('custom.') && value !== null ? [[name.slice(7), value]] : [])),
    )
    const id = await desk.person({
      status: completedAt === null ? 'incomplete' : 'complete',
      last_name: row.lastName as never,
      manual_tags: row.tags,
      tags: row.tags,
      country: row.country,
      completed_at: completedAt,
      host_id: row.isGuest ? host : null,
      custom_field_responses: JSON.stringify(answers) as never,
    })
    rows.push({ ...row, id, completedAt })
  }
  return rows
}

describe('compileTree and evaluateConditionTree', () => {
  it('selects the same people with a condition tree in the database as in memory', async () => {
    const fraction = createFractionGenerator(soakSeed(1025))
    const pick: Pick = (list) => list[Math.floor(fraction() * list.length)]!
    await desk.set([{ op: 'insert', path: '/customFields/born', value: { name: 'Born', responseType: 'date' } }])
    await desk.call('publish_event', { acceptWarnings: true })
    const rows = await insertPeople(pick)
    const differing: unknown[] = []
    let selected = 0
    for (let n = 0; n < TREES; n++) {
      const tree = buildTree(pick, 3)
      const result = await desk.call('query_data', {
        entity: 'participant',
        fields: ['id'],
        filter: { all: [tree, { field: 'id', op: 'in', value: rows.map(({ id }) => id) }] },
        limit: 1000,
      })
      const queried = new Set(result.rows.map(({ id }: any) => id))
      const expected = rows.filter((row) => evaluateConditionTree(tree, (name) => row[name as keyof Row], ZONE))
      selected += expected.length > 0 && expected.length < rows.length ? 1 : 0
      const wrong = rows.filter(({ id }) => queried.has(id) !== expected.some((one) => one.id === id))
      if (wrong.length > 0) differing.push({ tree: JSON.stringify(tree), row: wrong[0], queried: queried.has(wrong[0]!.id) })
    }
    expect(differing).toEqual([])
    expect(selected).toBeGreaterThan(TREES / 4)
  })
})

/** The wall clock of an instant in a zone, by Intl alone. */
function wallClock(zone: string, at: Date) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  })
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value])) as Record<string, string>
  const offset = part['timeZoneName']!.slice(3) || '+00:00'
  return { day: `${part['year']}-${part['month']}-${part['day']}`, hour: Number(part['hour']), offset }
}

const toUtc = (day: string) => new Date(`${day}T00:00:00Z`)

const BUCKETS: Readonly<Record<string, (zone: string, at: Date, startsOn: string) => unknown>> = {
  day: (zone, at) => wallClock(zone, at).day,
  month: (zone, at) => wallClock(zone, at).day.slice(0, 7),
  year: (zone, at) => wallClock(zone, at).day.slice(0, 4),
  quarter: (zone, at) => `${wallClock(zone, at).day.slice(0, 4)}-Q${Math.floor(toUtc(wallClock(zone, at).day).getUTCMonth() / 3) + 1}`,
  dayOfWeek: (zone, at) => toUtc(wallClock(zone, at).day).getUTCDay() || 7,
  week: (zone, at) => {
    const day = toUtc(wallClock(zone, at).day)
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
    return day.toISOString().slice(0, 10)
  },
  hourOfDay: (zone, at) => wallClock(zone, at).hour,
  hour: (zone, at) => {
    const { day, hour, offset } = wallClock(zone, at)
    return `${day}T${String(hour).padStart(2, '0')}:00${offset}`
  },
  daysBefore: (zone, at, startsOn) => (toUtc(startsOn).getTime() - toUtc(wallClock(zone, at).day).getTime()) / 86_400_000,
}

const MORE_INSTANTS = [
  '2018-11-04T03:00:00Z',
  '2026-04-04T14:30:00Z',
  '2026-11-01T05:30:00Z',
  '2026-11-01T06:30:00Z',
  '2026-12-31T23:59:59Z',
  '2024-12-30T12:00:00Z',
]
const ZONES = [ZONE, 'America/New_York', 'Asia/Kathmandu', 'America/Sao_Paulo', 'Pacific/Auckland', 'UTC']

describe('compileGroupKey', () => {
  it('groups instants by the calendar in the time zone of the event', async () => {
    const instants = [...INSTANTS, ...MORE_INSTANTS].map((at) => new Date(at))
    for (const at of instants) await desk.person({ completed_at: at })
    const { database } = desk.world
    const differing: unknown[] = []
    for (const zone of ZONES) {
      const { rows } = await database.pool.query<{ starts_on: string }>(
        'update events set timezone = $1 where id = $2 returning starts_on',
        [zone, desk.event.eventId],
      )
      for (const [bucket, model] of Object.entries(BUCKETS)) {
        const expected = Map.groupBy(instants, (at) => model(zone, at, rows[0]!.starts_on))
        const result = await desk.call('query_data', { entity: 'participant', groupBy: [`completedAt:${bucket} as bucket`] })
        const sorted = (list: unknown[][]) => list.map((one) => JSON.stringify(one)).toSorted()
        const shown = sorted(result.rows.map(({ bucket: key, count }: any) => [key, count]))
        const wanted = sorted([...expected].map(([key, list]) => [key, list.length]))
        if (shown.join() !== wanted.join()) differing.push({ zone, bucket, shown, wanted })
      }
    }
    expect(differing).toEqual([])
  })
})

/** Latin, Greek, Cyrillic, Armenian, their extensions, letter-like symbols, ligatures and wide forms. Later blocks change with Unicode. */
const LETTERS = [
  [1, 0x587],
  [0x1e00, 0x1fff],
  [0x2100, 0x2188],
  [0xfb00, 0xfb4f],
  [0xff00, 0xffef],
] as const

describe('folding of texts in the database', () => {
  it('normalizes every letter in the database to the same text as conditions that are evaluated in memory', async () => {
    const differing: string[] = []
    for (const [from, until] of LETTERS) {
      const { rows } = await desk.world.database.pool.query<{ letter: string; folded: string }>(
        `select chr(n) as letter, lanyard_fold_text(chr(n)) as folded from generate_series($1::int, $2::int) n`,
        [from, until],
      )
      differing.push(...rows.filter(({ letter, folded }) => normalizeTextForComparison(letter) !== folded).map(({ letter }) => letter))
    }
    expect(differing).toEqual([])
  })
})
