import { compare, interleave, type Rounds } from './measure.ts'
import { writeChapter } from './page.ts'
import { startPretix } from './peers/pretix.ts'
import { formatTable, type Result } from './report.ts'
import type { Fleet } from './servers.ts'

/** Orders for one product and pages of 50 orders over HTTP, side by side with pretix on the same database server. */
export async function measurePretix(fleet: Fleet, server: string, rounds: Rounds): Promise<Result[]> {
  const { version, stop, ...pretix } = await startPretix(server)
  try {
    const child = await fleet.start('on-sale', { TEST_DATABASE_URL: server })
    await child.ask('open', pretix)
    const window = (work: string) => (seconds: number) => child.ask<number>('rate', { work, seconds })
    const orders = await interleave({ ours: window('order'), peer: window('pretixOrder') }, rounds)
    const lists = await interleave({ ours: window('list'), peer: window('pretixList') }, rounds)
    await child.ask('end')
    child.stop()
    const results: Result[] = [
      { name: 'orders for one product', unit: '/s', ...compare(orders.ours, orders.peer, 'higher'), target: { atLeast: 10 } },
      { name: 'pages of 50 orders', unit: '/s', ...compare(lists.ours, lists.peer, 'higher'), target: { atLeast: 30 } },
    ]
    writePage(results, version)
    return results
  } finally {
    await stop()
  }
}

function writePage(results: readonly Result[], version: string): void {
  const explanation = [
    'Written by `npm run bench -- pretix`, which installs pretix in a virtual environment and measures both products at the same time on the same',
    'machine and the same PostgreSQL server: eight clients over HTTP, one event, one product without a limit, no mail and no payment. Lanyard is one',
    'process, which also sends the requests; pretix has two workers. An order of Lanyard is a call of `add_participant` with a signed-in',
    'organizer; an order of pretix is a `POST` to its orders API. A page has 50 orders of the REST API of each.',
  ]
  const table = formatTable(results).replace('  limit', ' pretix').trimEnd()
  writeChapter('Performance compared with pretix', [explanation.join('\n'), `\`\`\`\n${table}\n\`\`\``], [`pretix ${version}`])
}
