import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import { buildEchoCall, PROTOCOL_ERAS, formatHttpRequest } from './requests.ts'
import { type Fleet, assertEqualResponses } from './servers.ts'

/**
 * Measures the CPU time of our own code without a database, compared with a handwritten server that returns the same responses. For
 * information, it also measures our code with authentication, whose one SQL statement is answered from memory, and the MCP library alone.
 */
export async function measureWithoutIo(fleet: Fleet, rounds: { call: Rounds; list: Rounds }): Promise<BenchResult[]> {
  const servers = {
    ours: await fleet.start('ours', { ADMISSION: 'fixed' }),
    authenticating: await fleet.start('ours'),
    library: await fleet.start('library'),
    bare: await fleet.start('bare'),
  }
  const cpuOf = async (request: string, connections: number, how: Rounds) => {
    const aim = (server: keyof typeof servers) => fleet.aim(servers[server], [request], connections)
    const targets = {
      ours: await aim('ours'),
      authenticating: await aim('authenticating'),
      library: await aim('library'),
      bare: await aim('bare'),
    }
    await assertEqualResponses(Object.values(targets))
    const { ours, authenticating, library, bare } = targets
    const values = await interleave(
      { ours: ours.window, authenticating: authenticating.window, library: library.window, bare: bare.window },
      how,
    )
    const limit = values.bare.map((window) => window.cpu)
    return (server: keyof typeof servers) => ({
      unit: 'CPU µs' as const,
      ...compareMeasurements(
        values[server].map((window) => window.cpu),
        limit,
        'lower',
      ),
    })
  }
  const results: BenchResult[] = []
  for (const [i, era] of PROTOCOL_ERAS.entries()) {
    // The second protocol revision needs less warm-up, because it mostly runs code that is compiled by then.
    const warmUp = rounds.call.warmUp / (i + 1) ** 2
    const call = await cpuOf(buildEchoCall(era), 16, { ...rounds.call, warmUp })
    results.push(
      { name: `call ${era}`, ...call('ours'), target: { atMost: 2.5 } },
      { name: `call ${era}, with authentication`, ...call('authenticating'), target: null },
      { name: `call ${era}, library alone`, ...call('library'), target: null },
    )
    const list = await cpuOf(formatHttpRequest(era, 'tools/list'), 4, rounds.list)
    results.push(
      { name: `list ${era}`, ...list('ours'), target: { atMost: 1.6 } },
      { name: `list ${era}, with authentication`, ...list('authenticating'), target: null },
      { name: `list ${era}, library alone`, ...list('library'), target: null },
    )
  }
  for (const server of Object.values(servers)) server.stop()
  return results
}
