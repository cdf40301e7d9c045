import { compareMeasurements, interleave, type Rounds } from './measure.ts'
import type { BenchResult } from './report.ts'
import type { Sending, SendingResult } from './servers/sender.ts'
import type { Fleet } from './servers.ts'
import { openShop } from './shop.ts'

const EVENTS = 4
const BUYERS = 16
const READERS = 2

/**
 * Measures ticket sales of several events with two web processes, compared with one process, and a read of one event while another event is
 * on sale, compared with the same read alone. Both need idle cores: one for each process, each sender and the database.
 */
export async function measureSeveralEvents(fleet: Fleet, server: string, rounds: Rounds): Promise<BenchResult[]> {
  const shop = await openShop(fleet, server, { events: EVENTS, processes: 2 })
  const [buyers, readers] = [await fleet.start('sender'), await fleet.start('sender')]
  try {
    const [quiet, ...others] = shop.events
    const buy = async (seconds: number, { requests, clients }: Omit<Sending, 'seconds'>) =>
      buyers.ask<SendingResult>('run', { requests, clients, seconds } satisfies Sending)
    const [onOne, onTwo] = [await shop.orders(shop.events, shop.processes.slice(0, 1)), await shop.orders(shop.events)]
    const rateOf = (requests: Sending['requests']) => async (seconds: number) => (await buy(seconds, { requests, clients: BUYERS })).rate
    const rates = await interleave({ two: rateOf(onTwo), one: rateOf(onOne) }, rounds)

    const [reads, sale] = [await shop.reads(quiet!), await shop.orders(others.slice(0, 1))]
    const read = async (seconds: number) => {
      const { p95 } = await readers.ask<SendingResult>('run', { requests: reads, clients: READERS, seconds } satisfies Sending)
      return p95
    }
    const readDuringSale = async (seconds: number) => {
      const selling = buy(seconds, { requests: sale, clients: BUYERS / 2 })
      const [p95] = await Promise.all([read(seconds), selling])
      return p95
    }
    const times = await interleave({ during: readDuringSale, alone: read }, rounds)
    return [
      {
        name: `orders of ${EVENTS} events, two processes compared with one`,
        unit: '/s',
        ...compareMeasurements(rates.two, rates.one, 'higher'),
        target: { atLeast: 1.6 },
      },
      {
        name: 'p95 of a read while another event is on sale, compared with the read alone',
        unit: 'ms',
        ...compareMeasurements(times.during, times.alone, 'lower'),
        target: { atMost: 2 },
      },
    ]
  } finally {
    for (const child of [buyers, readers]) child.stop()
    await shop.end()
  }
}
