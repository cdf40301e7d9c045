import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applyChanges } from '../support/apply-changes.ts'
import { diffSynchronously } from '../support/diff-synchronously.ts'
import type { ConfigDocument } from '../../src/domains/configuration/schema/event-config.ts'
import { toStoredDocument } from '../../src/domains/configuration/stored.ts'
import { validateDocumentStructure } from '../../src/domains/configuration/structure.ts'
import { toCanonicalJson, hashCanonicalJson } from '../../src/kernel/canonical.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'
import { soakSeed, soakRounds } from '../support/soak.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.end())

/** A seeded pseudo-random generator, so that every run is the same. */
function seededRandom(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

type Roll = (sides: number) => number
type Operation = { op: string; path: string; valueJson?: string; [key: string]: unknown }

const pick = <T>(roll: Roll, list: readonly T[]): T => list[roll(list.length)]!
const codesOf = (list: readonly { code?: string; slug?: string; id?: string }[] | undefined) =>
  (list ?? []).map((item) => (item.code ?? item.slug ?? item.id)!)
const json = (value: unknown) => ({ valueJson: JSON.stringify(value) })

/** A random edit that mostly fits the document. Some are rejected, as in real use. */
function randomOperation(roll: Roll, document: ConfigDocument): Operation {
  const word = () => pick(roll, ['alpha', 'beta', 'gamma', 'delta', 'omega', 'sigma', 'kappa', 'theta'])
  const tags = codesOf(document.tags)
  const products = codesOf(document.products)
  const fields = codesOf(document.customFields)
  const flows = codesOf(document.flows)
  const slug = flows.length > 0 ? pick(roll, flows) : 'none'
  const pages = codesOf(document.flows?.find((flow) => flow.slug === slug)?.pages)
  const page = pages.length > 0 ? pick(roll, pages) : 'none'
  const widgets = codesOf(document.flows?.find((flow) => flow.slug === slug)?.pages.find(({ code }) => code === page)?.widgets)
  const item = () => {
    const [section, codes] = pick(roll, [
      ['tags', tags],
      ['products', products],
      ['customFields', fields],
      ['flows', flows],
    ] as const)
    return `/${section}/${codes.length > 0 ? pick(roll, codes) : 'none'}`
  }
  const condition = () => ({ [pick(roll, ['all', 'any'])]: [{ binding: `@custom.${word()}`, op: 'equals', value: word() }] })
  const makers: (() => Operation)[] = [
    () => ({ op: 'insert', path: `/tags/${word()}`, ...json({ name: word() }) }),
    () => ({
      op: 'insert',
      path: `/products/${word()}`,
      ...json({ name: word(), category: 'tour', prices: [{ amount: `${roll(500)}.00`, tags: tags.slice(0, roll(2)) }] }),
    }),
    () => ({
      op: 'insert',
      path: `/customFields/${word()}`,
      ...json({ name: word(), responseType: 'choice', choices: [{ code: word(), name: 'One' }] }),
    }),
    () => ({ op: 'insert', path: `/flows/${word()}`, at: roll(3), ...json({ name: word(), pages: [{ code: 'start' }] }) }),
    () => ({ op: 'insert', path: `/flows/${slug}/pages/${word()}`, at: roll(4), ...json(roll(2) ? {} : { showWhen: condition() }) }),
    () => ({ op: 'insert', path: `/flows/${slug}/pages/${page}/widgets/${word()}`, ...json({ type: 'heading', text: word() }) }),
    () => ({
      op: 'insert',
      path: `/flows/${slug}/pages/${page}/widgets/${word()}`,
      ...json({ type: 'field', binding: `@custom.${word()}`, required: roll(2) === 1 }),
    }),
    () => ({ op: 'remove', path: item() }),
    () => ({ op: 'remove', path: `/flows/${slug}/pages/${page}` }),
    () => ({ op: 'rename', path: item(), to: word() }),
    () => ({ op: 'rename', path: `/flows/${slug}/pages/${page}`, to: word() }),
    () => ({ op: 'move', path: item(), at: roll(5) }),
    () => ({
      op: 'move',
      path: `/flows/${slug}/pages/${page}/widgets/${widgets[0] ?? 'none'}`,
      to: `/flows/${slug}/pages/${pages.at(-1) ?? 'none'}/widgets`,
    }),
    () => ({ op: 'set', path: '/details/capacity', ...json(roll(5) === 0 ? null : 1 + roll(900)) }),
    () => ({ op: 'set', path: '/details/name', ...json(`${word()} ${word()}`) }),
    () => ({
      op: 'set',
      path: `/theme/colors/${pick(roll, ['brand', 'accent'])}`,
      ...json(`#${roll(16_777_216).toString(16).padStart(6, '0')}`),
    }),
    () => ({
      op: 'set',
      path: `/translations/de/${pick(roll, ['~1details~1name', `~1tags~1${word()}~1name`])}`,
      ...json({ text: word(), sourceHash: '0123456789abcdef', state: 'machine' }),
    }),
    () => ({ op: 'insert', path: `/products/${products[0] ?? 'none'}/prices`, at: 0, ...json({ amount: `${roll(99)}.50` }) }),
    () => ({ op: 'set', path: '/nowhere/at/all', ...json(1) }),
    () => ({ op: 'set', path: '/details/startsOn', ...json('soon') }),
  ]
  return pick(roll, makers)()
}

interface StoredVersion {
  number: number
  sha256: string
  stored: string
}

async function versionsOf({ eventId }: EventHandle): Promise<StoredVersion[]> {
  const { rows } = await world.database.pool.query<{ number: number; sha256: string; document: ConfigDocument }>(
    `select number, sha256, document from config_versions where event_id = $1 order by number`,
    [eventId],
  )
  return rows.map(({ number, sha256, document }) => ({ number, sha256, stored: hashCanonicalJson(document).toString('hex') }))
}

async function draftOf({ eventId }: EventHandle): Promise<{ document: ConfigDocument; revision: number }> {
  const { rows } = await world.database.pool.query<{ document: ConfigDocument; revision: number }>(
    `select document, draft_revision as revision from config_drafts where event_id = $1`,
    [eventId],
  )
  return rows[0]!
}

describe('random edits, publications and resets of a draft', () => {
  let event: EventHandle
  let olga: OrganizerHandle

  it('keeps the draft valid and published versions unchanged after random edits, and computes a diff that reproduces each edit', async () => {
    event = await world.event({ status: 'draft' })
    olga = await world.organizer({ at: event })
    const { eventCode } = event
    await olga.call('config_set', { eventCode, operations: [{ op: 'set', path: '/details/contactEmail', valueJson: '"a@example.org"' }] })
    const start = soakSeed(20_270_511)
    const roll = seededRandom(start)
    let known: StoredVersion[] = []
    let { document, revision } = await draftOf(event)
    const done = { set: 0, refused: 0, published: 0, unpublishable: 0, reset: 0 }
    for (let step = 0; step < soakRounds(250); step++) {
      const kind = roll(20)
      if (kind === 0) {
        const answer = await olga.answer('publish_event', { eventCode })
        if (answer.isError) done.unpublishable++
        else done.published++
      } else if (kind === 1 && known.length > 0) {
        const call = { eventCode, version: 1 + roll(known.length) }
        const { confirmToken } = await olga.call('reset_to_version', { ...call, dryRun: true })
        await olga.call('reset_to_version', { ...call, confirmToken })
        done.reset++
      } else {
        const operations = Array.from({ length: 1 + roll(3) }, () => randomOperation(roll, document))
        const answer = await olga.answer('config_set', { eventCode, operations })
        if (answer.isError) done.refused++
        else done.set++
      }
      const next = await draftOf(event)
      expect(validateDocumentStructure(next.document).ok, `step ${step} from ${start}`).toBe(true)
      expect(toCanonicalJson(toStoredDocument(next.document))).toBe(toCanonicalJson(next.document))
      const changes = diffSynchronously(document, next.document)
      expect(toCanonicalJson(applyChanges(document, changes))).toBe(toCanonicalJson(next.document))
      if (changes.length === 0) expect(next.revision).toBe(revision)
      else expect(next.revision).toBe(revision + 1)
      if (kind === 0) {
        const versions = await versionsOf(event)
        expect(versions.slice(0, known.length)).toEqual(known)
        expect(versions.map(({ number }) => number)).toEqual(versions.map((_, index) => index + 1))
        for (const { sha256, stored } of versions) expect(stored).toBe(sha256)
        known = versions
      }
      ;({ document, revision } = next)
    }
    // Guards against a run that changes nothing.
    expect(done.set).toBeGreaterThan(50)
    expect(done.refused).toBeGreaterThan(10)
    expect(done.published).toBeGreaterThan(3)
    expect(done.reset).toBeGreaterThan(3)
  })

  it('rejects changing, deleting or misnumbering the row of a published version in the database', async () => {
    const { pool } = world.database
    await expect(pool.query(`update config_versions set note = 'x' where event_id = $1`, [event.eventId])).rejects.toThrow(
      'cannot be changed',
    )
    await expect(pool.query(`delete from config_versions where event_id = $1`, [event.eventId])).rejects.toThrow('cannot be changed')
    const jump = `insert into config_versions (tenant_id, event_id, number, id, document, sha256, published_by_name, app_name, counts)
      select tenant_id, event_id, number + 7, 'abcdefabcdefabcdefabcdef', document, sha256, 'x', 'x', '{}' from config_versions where event_id = $1 limit 1`
    await expect(pool.query(jump, [event.eventId])).rejects.toThrow('not the next one')
  })
})

describe('two concurrent editors of a draft', () => {
  it('loses no edit of two concurrent editors in the draft and its history', async () => {
    const event = await world.event({ status: 'draft' })
    const writers = [await world.organizer({ at: event }), await world.organizer({ at: event })]
    await Promise.all(
      writers.map(async (writer, who) => {
        for (let n = 0; n < 15; n++) {
          const operation = { op: 'insert', path: `/tags/w${who}-${n}`, valueJson: '{"name":"x"}' }
          await writer.call('config_set', { eventCode: event.eventCode, operations: [operation] })
        }
      }),
    )
    const { document, revision } = await draftOf(event)
    expect(document.tags).toHaveLength(30)
    expect(revision).toBe(31)
    const { rows } = await world.database.pool.query(`select draft_revision from config_changes where event_id = $1 order by 1`, [
      event.eventId,
    ])
    expect(rows).toHaveLength(30)
  })
})
