import { diffSynchronously } from '../../test/support/diff-synchronously.ts'
import { findInConfigDocument } from '../../src/domains/configuration/find.ts'
import { EventConfig } from '../../src/domains/configuration/schema/event-config.ts'
import { hashCanonicalJson } from '../../src/kernel/canonical.ts'
import { newWorld, type OrganizerHandle } from '../../test/support/world.ts'
import { serveRequests } from '../child.ts'
import { buildLargeDocument, LARGE_DOCUMENT_LOCALES, buildNextVersion } from '../support/large-document.ts'

const document = buildLargeDocument()
const texts = { first: JSON.stringify(document), second: JSON.stringify(buildNextVersion(document)) }
/** Parses the document again, so that nothing derived from the returned object is cached. */
const fresh = (which: keyof typeof texts): typeof document => JSON.parse(texts[which]) as typeof document

interface Work {
  /** Prepares the measured work; the preparation is not measured. */
  prepare: () => unknown
  run: (prepared: never) => unknown
}

const WORKS: Record<string, Work> = {
  parse: {
    prepare: () => fresh('first'),
    run: (one: object) => {
      if (!EventConfig.safeParse(one).success) throw new Error('the large document is not valid')
    },
  },
  diff: {
    prepare: () => [fresh('first'), fresh('second')],
    run: ([a, b]: [typeof document, typeof document]) => diffSynchronously(a, b).length,
  },
  find: {
    prepare: () => ({ document: fresh('first'), facts: { currency: 'EUR' } as never }),
    run: (one: Parameters<typeof findInConfigDocument>[0]) => {
      const { hits, toMatch } = findInConfigDocument(one, { text: 'keynote hall' })
      return hits.slice(0, 25).map(toMatch)
    },
  },
  set: { prepare: () => openedDesk(), run: (at: Desk) => edit(at) },
  // Runs after an edit of the draft, so that nothing of the draft is cached.
  explore: {
    prepare: () => edited(),
    run: ({ olga, eventCode }: Desk) => olga.call('config_explore', { eventCode, path: '/flows', depth: 2 }),
  },
  review: { prepare: () => edited(), run: ({ olga, eventCode }: Desk) => olga.call('review_flow', { eventCode }) },
  publish: { prepare: () => edited(), run: ({ olga, eventCode }: Desk) => olga.call('publish_event', { eventCode }) },
}

interface Desk {
  olga: OrganizerHandle
  eventCode: string
  end: () => Promise<void>
}

let desk: Promise<Desk> | null = null
let edits = 0

/** Returns an event whose draft has the maximum size and one more edit to publish. */
async function edited(): Promise<Desk> {
  const at = await openedDesk()
  await edit(at)
  return at
}

const openedDesk = () => (desk ??= openDesk())

const edit = ({ olga, eventCode }: Desk) =>
  olga.call('config_set', {
    eventCode,
    operations: [{ op: 'set', path: '/details/summary', valueJson: JSON.stringify(`Edit ${++edits}`) }],
  })

async function openDesk(): Promise<Desk> {
  const world = await newWorld()
  const { tenantId, eventId, eventCode, ...place } = await world.event({ status: 'draft' })
  const { pool } = world.database
  await pool.query(`update events set locales = $3 where tenant_id = $1 and id = $2`, [
    tenantId,
    eventId,
    ['en', ...LARGE_DOCUMENT_LOCALES],
  ])
  await pool.query(`insert into config_drafts (tenant_id, event_id, document, sha256) values ($1, $2, $3, $4)`, [
    tenantId,
    eventId,
    texts.first,
    hashCanonicalJson(document).toString('hex'),
  ])
  const olga = await world.organizer({ at: { tenantId, ...place } })
  await olga.call('publish_event', { eventCode })
  return { olga, eventCode, end: () => world.end() }
}

/** Returns the mean duration of the given work in milliseconds of wall-clock time. */
async function time({ work, seconds }: { work: string; seconds: number }): Promise<number> {
  const { prepare, run } = WORKS[work]!
  const until = performance.now() + seconds * 1000
  let [spent, runs] = [0, 0]
  do {
    const prepared = (await prepare()) as never
    const started = performance.now()
    await run(prepared)
    spent += performance.now() - started
    runs++
  } while (performance.now() < until)
  return spent / runs
}

serveRequests({
  time,
  end: async () => (await desk)?.end(),
  size: () => ({ bytes: Buffer.byteLength(texts.first), changes: diffSynchronously(document, fresh('second')).length }),
})
