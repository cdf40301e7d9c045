import type { Child } from './child.ts'
import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import { type BenchWorld, createBenchWorld } from './organizers.ts'
import type { BenchResult } from './report.ts'
import { formatHttpRequest } from './requests.ts'
import type { RecordedStatements } from './servers/statements.ts'
import { type Fleet, assertEqualResponses, type MeasuredTarget, type MeasuredWindow } from './servers.ts'
import { scaleRows } from './size.ts'

const CONNECTIONS = 16
/** The number of organizers. At 120 requests a minute each, they may send ten thousand a second together. */
const ORGANIZERS = scaleRows(6000)

export async function measureWithDatabase(
  fleet: Fleet,
  server: string,
  rounds: { row: Rounds; statement: Rounds },
): Promise<BenchResult[]> {
  const world = await createBenchWorld(server, ORGANIZERS)
  try {
    return [...(await readOneRow(fleet, world, rounds.row)), ...(await verifyToken(fleet, world, rounds.statement))]
  } finally {
    await world.end()
  }
}

/** Measures an authenticated call that reads one row, compared with a server that only runs the same statements. */
async function readOneRow(fleet: Fleet, world: BenchWorld, rounds: Rounds): Promise<BenchResult[]> {
  const environment = { DATABASE_URL: world.url }
  const product = await fleet.start('product', environment)
  const bare = await fleet.start('bare-sql', environment)
  const params = { name: 'fixture_get_note', arguments: { eventCode: world.eventCode, noteId: world.noteId } }
  const requests = world.tokens.map((token) => formatHttpRequest('2025', 'tools/call', params, token))
  const ours = await fleet.aim(product, requests, CONNECTIONS)
  const limit = await fleet.aim(bare, requests, CONNECTIONS)
  const single = await fleet.aim(product, requests, 1)
  await single.answer()
  const asked = await recordOne(product, single)
  await bare.ask('use', asked.statements)
  const bareAsked = await recordOne(bare, await fleet.aim(bare, requests, 1))
  await assertEqualResponses([ours, limit])
  const values = await interleave({ ours: ours.window, limit: limit.window }, rounds)
  for (const child of [product, bare]) child.stop()
  const side = (what: keyof MeasuredWindow) =>
    compareMeasurements(
      values.ours.map((window) => window[what]),
      values.limit.map((window) => window[what]),
      what === 'rate' ? 'higher' : 'lower',
    )
  const name = 'authenticated call, one row'
  const note = `${inWords(asked)} for a call of ours, ${inWords(bareAsked)} for the limit`
  return [
    { name, unit: '/s', ...side('rate'), target: { atLeast: 0.85 }, note },
    { name: `${name}, CPU`, unit: 'CPU µs', ...side('cpu'), target: null },
  ]
}

async function recordOne(server: Child, target: MeasuredTarget): Promise<RecordedStatements> {
  await server.ask('record')
  await target.answer()
  return server.ask('recorded')
}

const inWords = ({ statements, roundTrips }: RecordedStatements) => `${statements.length} statements in ${roundTrips} round trips`

/** Measures the token verification statement of every request, compared with the cheapest statement on the same pool. */
async function verifyToken(fleet: Fleet, world: BenchWorld, rounds: Rounds): Promise<BenchResult[]> {
  const child = await fleet.start('verify', { DATABASE_URL: world.url })
  const { tokens, resource, userId: id } = world
  const results: BenchResult[] = []
  for (const concurrency of [1, CONNECTIONS]) {
    const window = (kind: 'verify' | 'row') => (seconds: number) =>
      child.ask<number>('rate', { kind, tokens, resource, id, concurrency, seconds })
    const values = await interleave({ ours: window('verify'), limit: window('row') }, rounds)
    results.push({
      name: `verify a token compared with one row, ${concurrency} concurrent`,
      unit: '/s',
      ...compareMeasurements(values.ours, values.limit, 'higher'),
      target: null,
    })
  }
  child.stop()
  return results
}
