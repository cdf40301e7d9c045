import { expect, it } from 'vitest'
import type { EventContext } from '../../../kernel/context.ts'
import { newWorld } from '../../../../test/support/world.ts'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { compile, cacheCompiledDocument } from '../compiled-cache.ts'
import { readDraftConfiguration } from '../read.ts'

const LARGE = 1_500_000
const other = runTaskSynchronously(compile({ details: { name: 'Other', startsOn: '2027-01-01', endsOn: '2027-01-01' } }))
/** Fills the cache with other large documents, so that everything else is evicted. */
const pushOutAll = () => Array.from({ length: 12 }, (_, n) => cacheCompiledDocument(`other-${n}`, other, LARGE))

it('readDraftConfiguration returns the draft even if the cache evicts it during the query', async () => {
  const world = await newWorld()
  try {
    const event = await world.event({ status: 'draft' })
    const olga = await world.organizer({ at: event })
    const name = async (value: string) =>
      olga.call('config_set', {
        eventCode: event.eventCode,
        operations: [{ op: 'set', path: '/details/name', valueJson: JSON.stringify(value) }],
      })
    await name('Kept')
    const ctx = {
      db: world.database.write,
      tenantId: event.tenantId,
      event: { id: event.eventId, code: event.eventCode },
    } as unknown as EventContext
    await readDraftConfiguration(ctx)
    const asked = readDraftConfiguration(ctx)
    pushOutAll()
    expect((await asked).document.details.name).toBe('Kept')
    // The document is no longer cached, so it must come from the database.
    expect((await readDraftConfiguration(ctx)).document.details.name).toBe('Kept')
    await name('Another')
    expect((await readDraftConfiguration(ctx)).document.details.name).toBe('Another')
  } finally {
    await world.end()
  }
})
